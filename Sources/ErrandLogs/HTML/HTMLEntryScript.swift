/// The script that reads the log entries.
///
/// The script does not parse network data as HTML.
enum HTMLEntryScript {
  static let text = #"""
    "use strict";
    const byId = id => document.getElementById(id);
    const exchanges = new Map();
    const run = { title: "", page: 1, next: 0, lost: 0, broken: 0 };

    /** Creates an element with attributes and children. Strings become text, never HTML. */
    function make(name, attributes = {}, ...children) {
      const element = document.createElement(name);
      for (const [key, value] of Object.entries(attributes)) {
        if (value !== undefined && value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
      }
      for (const child of children.flat()) {
        if (child || child === 0) element.append(child);
      }
      return element;
    }

    function readBlocks() {
      for (const block of document.querySelectorAll('script[type="application/json"]')) {
        let entry;
        try { entry = JSON.parse(block.textContent); } catch { run.broken += 1; }
        if (entry) take(entry);
        block.remove();
      }
      for (const exchange of exchanges.values()) settle(exchange);
    }

    function take(entry) {
      if (entry.kind === "run") { run.title = entry.title; run.page = entry.page; return; }
      if (entry.kind === "next") { run.next = entry.page; return; }
      if (entry.kind === "lost") { run.lost += entry.count; return; }
      let exchange = exchanges.get(entry.number);
      if (!exchange) exchanges.set(entry.number, exchange = { number: entry.number, attempts: [] });
      if (entry.kind === "start") exchange.start = entry;
      else if (entry.kind === "send") attempt(exchange, entry.attempt).sends.push(entry);
      else if (entry.kind === "attempt") attempt(exchange, entry.attempt).end = entry;
      else if (entry.kind === "body") attempt(exchange, entry.attempt).shown = entry.body;
      else if (entry.kind === "stop") exchange.stop = entry;
    }

    function attempt(exchange, number) {
      let found = exchange.attempts.find(attempt => attempt.number === number);
      if (!found) exchange.attempts.push(found = { number, sends: [] });
      return found;
    }

    /** Computes the values for the list and the filter. */
    function settle(exchange) {
      const { start, stop, attempts } = exchange;
      const first = attempts[0], last = attempts[attempts.length - 1];
      const sent = (first && (first.sends[0] || first.end)) || {};
      exchange.method = sent.method || "";
      exchange.url = sent.url || "";
      [exchange.host, exchange.path] = partsOf(exchange.url);
      exchange.comment = [...attempts.flatMap(one => one.sends), stop].map(entry => entry && entry.comment).find(Boolean) || "";
      exchange.type = (start && start.type) || "";
      exchange.status = last && last.end && last.end.status;
      exchange.state = stop ? stop.outcome : "pending";
      exchange.size = last && last.end ? last.end.length : undefined;
      exchange.time = start ? start.time : undefined;
      const ends = attempts.filter(one => one.end).map(one => one.end.begun + one.end.elapsed);
      exchange.duration = stop ? stop.elapsed : ends.length ? Math.max(...ends) : undefined;
      exchange.tries = attempts.length;
      exchange.id = start && start.id;
      exchange.tags = tagsOf(exchange);
      const kinds = [stop && stop.errorKind, ...attempts.map(one => one.end && one.end.failureKind)].filter(Boolean);
      exchange.error = [...kinds, stop && stop.error, ...attempts.map(one => one.end && one.end.failure)].filter(Boolean).join(" ");
      exchange.words = [exchange.method, exchange.url, exchange.status, exchange.comment, exchange.type, exchange.state, ...exchange.tags, ...kinds]
        .filter(Boolean).join(" ").toLowerCase();
    }

    /** The tags of an exchange in the list: redirected, mocked, cached. */
    function tagsOf(exchange) {
      const ends = exchange.attempts.map(one => one.end).filter(Boolean);
      return [exchange.attempts.some(one => one.sends.length > 1 || one.end && one.end.redirects.length) && "redirected",
        ends.some(end => end.connection === "mocked") && "mocked",
        ends.some(end => ["cache", "stale", "revalidated"].includes(end.cache)) && "cached"].filter(Boolean);
    }

    /** The host and the rest of a URL. The URL may contain redacted parts, so no URL parser is used. */
    function partsOf(url) {
      const mark = url.indexOf("://");
      if (mark < 0) return ["", url];
      const rest = url.slice(mark + 3), end = rest.search(/[/?#]/);
      return end < 0 ? [rest, "/"] : [rest.slice(0, end), rest.slice(end)];
    }

    const outcomeOf = exchange => exchange.state === "success" ? exchange.status ? `s${Math.floor(exchange.status / 100)}` : "s2"
      : exchange.state === "failure" ? exchange.status && exchange.status >= 400 ? `s${Math.floor(exchange.status / 100)}` : "failed"
      : exchange.state;
    const labelOf = exchange => exchange.state === "pending" ? "pending" : exchange.state === "cancelled" ? "cancelled"
      : exchange.status ? `${exchange.status}` : exchange.state === "failure" ? "failed" : "done";

    function timeText(ms) {
      if (ms === undefined) return "–";
      if (ms < 0.95) return `${ms.toFixed(2)} ms`;
      if (ms < 9.95) return `${ms.toFixed(1)} ms`;
      if (ms < 999.5) return `${Math.round(ms)} ms`;
      const seconds = Math.round(ms / 1000);
      return ms < 59995 ? `${(ms / 1000).toFixed(2)} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
    }

    function sizeText(bytes) {
      if (bytes === undefined || bytes === null) return "–";
      if (bytes < 1000) return `${bytes} B`;
      const units = ["kB", "MB", "GB", "TB"];
      let rest = bytes / 1000, unit = 0;
      while (rest >= 999.95 && unit < units.length - 1) { rest /= 1000; unit += 1; }
      return `${rest.toFixed(rest < 9.995 ? 2 : 1)} ${units[unit]}`;
    }

    function clockText(time) {
      if (time === undefined) return "–";
      const date = new Date(time), pad = (value, count = 2) => `${value}`.padStart(count, "0");
      return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`;
    }

    function dateText(time) {
      const offset = new Date(time).getTimezoneOffset() * 60000;
      return new Date(time - offset).toISOString().slice(0, 10);
    }

    /** The offset of the page's times from UTC, such as UTC+01:00. */
    function zoneText(time) {
      const minutes = -new Date(time).getTimezoneOffset(), pad = value => `${value}`.padStart(2, "0");
      const size = Math.abs(minutes);
      return minutes ? `UTC${minutes < 0 ? "−" : "+"}${pad(Math.floor(size / 60))}:${pad(size % 60)}` : "UTC";
    }

    const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

    """#
}
