enum HTMLTimeScript {
  static let text = #"""
    const phaseNames = { wait: "waiting", before: "preparing", redirect: "redirect", name: "name lookup", connect: "connecting", secure: "TLS",
      server: "server", body: "receiving", cache: "the cache", mock: "the mock", transfer: "transfer", after: "after the answer",
      retry: "until the retry", pending: "under way" };

    /** The visible phase of a transfer without measurements, by the phase in which the transfer ended. */
    const unmeasured = { before: "before", nameLookup: "name", connect: "connect", secureConnect: "secure", wait: "transfer" };

    /** The spans of a dispatch: waits, redirects, phases of transfers, and waits for retries, in milliseconds from the start of the dispatch. */
    function spansOf(exchange) {
      const spans = [];
      if (exchange.stop) addSpan(spans, "wait", 0, exchange.stop.turnWait);
      for (const one of exchange.attempts) {
        const from = spans.length;
        if (one.end) attemptSpans(spans, one);
        for (const span of spans.slice(from)) span.attempt = one.number;
      }
      return spans;
    }

    function addSpan(spans, phase, from, to, note) {
      // Time before or after the transfer is left out up to 0.05 ms, unless a note belongs to the span.
      const least = !note && (phase === "before" || phase === "after") ? 0.05 : 0.0005;
      if (to - from > least) spans.push({ phase, from, to, note, attempt: 0 });
    }

    function attemptSpans(spans, { sends, end }) {
      const until = end.begun + end.elapsed, waited = end.waits.reduce((sum, wait) => sum + wait, 0);
      const sentAt = index => Math.min(sends[index] ? sends[index].at : index ? end.redirects[index - 1].at : end.begun + waited, until);
      const isUnsent = !sends.length && !end.redirects.length && !end.phases && end.phase === "before";
      // The time before the first request, without the waits, counts as preparation.
      const first = isUnsent ? until : Math.max(sentAt(0), end.begun), waits = Math.min(waited, first - end.begun);
      addSpan(spans, "before", end.begun, first - waits, isUnsent && end.failure ? "failed" : undefined);
      addSpan(spans, "wait", first - waits, first);
      let from = first;
      end.redirects.forEach((redirect, index) => {
        addSpan(spans, "redirect", from, redirect.at, `${index + 1}, ${redirect.status.split(" ")[0]}`);
        from = Math.max(from, redirect.at, sentAt(index + 1));
        addSpan(spans, "before", redirect.at, from);
      });
      if (end.phases) transferSpans(spans, from, until, end.phases);
      else {
        const phase = end.connection === "mocked" ? "mock" : end.connection === "cached" ? "cache" : unmeasured[end.phase];
        addSpan(spans, phase, from, until, end.failure && end.phase !== "wait" ? "failed" : undefined);
      }
      if (end.retry) addSpan(spans, "retry", until, until + end.retry.wait);
    }

    /** Adds the phases of a transfer. A transfer shared with another dispatch may have begun earlier. */
    function transferSpans(spans, from, until, phases) {
      const start = Math.min(from, until - phases.total), held = Math.max(phases.name, phases.connect, phases.secure);
      const opening = phases.isReused ? [["wait", held]] : [["name", phases.name], ["connect", phases.connect], ["secure", phases.secure]];
      let at = from;
      for (const [phase, end] of [...opening, ["server", phases.firstByte], ["body", phases.total]]) {
        // A wait of less than 0.5 ms for a reused connection is left out.
        if (phases.isReused && phase === "wait" && end < 0.5) continue;
        addSpan(spans, phase, at, start + end);
        at = Math.max(at, start + end);
      }
      addSpan(spans, "after", at, until);
    }

    """#
}
