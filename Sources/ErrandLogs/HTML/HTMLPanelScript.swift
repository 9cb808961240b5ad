/// The part of a page's script for an exchange.
enum HTMLPanelScript {
  static let text = #"""
    const tabs = ["Overview", "Response", "Request", "cURL"];
    const panel = { tab: 0, attempt: 0, following: 0 };
    const isNarrow = () => window.matchMedia("(max-width: 899px)").matches;

    function open(exchange, hasFocus = true) {
      view.open = exchange;
      panel.attempt = Math.max(0, exchange.attempts.length - 1);
      document.body.classList.add("has-panel");
      byId("panel").hidden = false;
      show();
      fit();
      if (hasFocus && isNarrow()) byId("panel").focus({ preventScroll: true });
    }

    function close() {
      if (!view.open) return;
      view.open = null;
      document.body.classList.remove("has-panel");
      byId("panel").hidden = true;
      fit();
      keepState();
      activate(view.active);
    }

    function show() {
      const exchange = view.open, place = byId("panel");
      const hadFocus = place.contains(document.activeElement) && document.activeElement.getAttribute("role") === "tab";
      const bar = make("div", { role: "tablist", "aria-label": "Parts of the exchange" }, tabs.map((title, index) => {
        const tab = make("button", { type: "button", role: "tab", id: `tab-${index}`, "aria-selected": `${index === panel.tab}`,
          "aria-controls": "part", tabindex: index === panel.tab ? 0 : -1 }, title);
        tab.addEventListener("click", () => { panel.tab = index; show(); });
        return tab;
      }));
      const part = make("div", { id: "part", role: "tabpanel", "aria-labelledby": `tab-${panel.tab}`, tabindex: 0 });
      if (exchange.attempts.length > 1) part.append(attemptsOf(exchange));
      part.append(...[overview, response, request, command][panel.tab](exchange, exchange.attempts[panel.attempt]));
      place.replaceChildren(headOf(exchange), bar, part);
      if (hadFocus) byId(`tab-${panel.tab}`).focus();
      mark();
      keepState();
    }

    function headOf(exchange) {
      const back = make("button", { type: "button", id: "close", "aria-label": "Close" }, "✕");
      back.addEventListener("click", close);
      return make("div", { id: "about", class: outcomeOf(exchange) }, make("div", { class: "line" },
        make("span", { class: "pill" }, labelOf(exchange)), make("h2", {}, `${exchange.method} ${exchange.path || exchange.type}`), back),
        exchange.url && make("div", { class: "address" }, make("p", { class: "url", tabindex: 0 }, exchange.url), copying("Copy the URL", exchange.url, "Copy")),
        exchange.comment && make("p", { class: "comment" }, exchange.comment));
    }

    /** The buttons that choose the visible attempt. */
    function attemptsOf(exchange) {
      return make("div", { class: "attempts", role: "group", "aria-label": "Attempts" }, exchange.attempts.map((one, index) => {
        const end = one.end, isFine = end && !end.failure && !end.isCancelled;
        const button = make("button", { type: "button", class: isFine ? "s2" : "failed", "aria-pressed": `${index === panel.attempt}` },
          make("b", {}, `${one.number}`), ` ${end ? end.phrase || "no answer" : "under way"}`,
          end && end.retry && make("small", {}, `retry in ${timeText(end.retry.wait)}, ${sources[end.retry.source] || end.retry.source}`));
        button.addEventListener("click", () => { panel.attempt = index; show(); });
        return button;
      }));
    }

    const sources = { policy: "by the policy", retryAfter: "as Retry-After asks", rateLimit: "as the rate limit asks",
      request: "by the request", hooks: "by a hook", authenticator: "with other credentials" };

    const fact = (name, value) => value ? [make("dt", {}, name), make("dd", {}, value)] : [];

    function overview(exchange, one) {
      const end = one && one.end, stop = exchange.stop, parts = [];
      if (stop && stop.error) {
        parts.push(make("section", { class: "error", role: "group", "aria-label": "The error" }, make("h3", {}, stop.errorKind),
          make("pre", {}, stop.error), copying("Copy the error", stop.error, "Copy")));
      }
      parts.push(make("dl", { class: "facts" },
        fact("Outcome", stop ? `${stop.outcome} at ${stop.stage}` : "under way when the page was written"),
        fact("Status", end && end.phrase),
        fact("Begun", exchange.time && `${dateText(exchange.time)} ${clockText(exchange.time)}, ${zoneText(exchange.time)}`),
        fact("Time", timeText(exchange.duration)), fact("Body", end && sizeText(end.length)),
        fact("Carried", end && end.phases && `${sizeText(end.phases.sent)} sent, ${sizeText(end.phases.received)} received`),
        fact("Connection", end && end.connection), fact("Request", exchange.type), fact("Number", exchange.start && `${exchange.start.id} of its agent`)));
      if (end && end.redirects.length) parts.push(redirects(one));
      parts.push(timing(exchange));
      if (end && end.notes.length) {
        parts.push(make("section", {}, make("h3", {}, exchange.attempts.length > 1 ? `Attempt ${one.number}` : "What happened"),
          make("ul", { class: "notes" }, end.notes.map(note => make("li", {}, note)))));
      }
      return parts;
    }

    /** The redirects of an attempt, each with its status, its request and its Location. */
    function redirects(one) {
      return make("section", {}, make("h3", {}, "Redirects", make("span", { class: "count" }, `${one.end.redirects.length}`)),
        make("ol", { class: "way" }, one.end.redirects.map((redirect, index) => make("li", {},
          make("p", {}, make("span", { class: "s3" }, make("span", { class: "pill" }, redirect.status)),
            one.sends[index] && make("span", { class: "url" }, ` ${one.sends[index].method} ${one.sends[index].url}`)),
          make("p", { class: "url" }, "Location: ", make("b", {}, redirect.url),
            one.sends[index] && one.sends[index].method !== redirect.method && `, followed with ${redirect.method}`)))));
    }

    function timing(exchange) {
      const spans = spansOf(exchange), width = Math.max(exchange.duration || 0, ...spans.map(span => span.to), 0.001);
      let number = 0;
      const rows = spans.flatMap(span => {
        const bar = make("div", { class: "bar" }), piece = make("i", { class: span.phase });
        piece.style.left = `${span.from / width * 100}%`;
        piece.style.width = `max(2px, ${(span.to - span.from) / width * 100}%)`;
        bar.append(piece);
        const row = make("tr", {}, make("th", { scope: "row" }, [phaseNames[span.phase], span.note].filter(Boolean).join(span.phase === "redirect" ? " " : ", ")), make("td", { class: "chart" }, bar),
          make("td", {}, timeText(span.to - span.from)));
        if (exchange.attempts.length < 2 || !span.attempt || span.attempt === number) return [row];
        number = span.attempt;
        return [make("tr", { class: "part" }, make("th", { scope: "rowgroup", colspan: 3 }, `Attempt ${number}`)), row];
      });
      return make("section", {}, make("h3", {}, "Times"), rows.length ? make("table", { class: "timing" }, make("tbody", {}, rows))
        : make("p", { class: "faint" }, "No times were measured."));
    }

    function response(exchange, one) {
      const end = one && one.end;
      if (!end || !end.status) return [make("p", { class: "faint" }, end ? "There was no answer." : "The answer had not arrived when the page was written.")];
      return [cutOff(end), fields("Headers", end.headers), bodyOf(one.shown || end.body, end.headers, "The response's body"),
        end.trailers && fields("Trailers", end.trailers)].filter(Boolean);
    }

    /** A warning with the received size of an incomplete body; null for a complete body. */
    function cutOff(end) {
      if (!(end.failure || end.isCancelled) || end.stage !== "transport") return null;
      const valueOf = name => (end.headers.find(field => field[0].toLowerCase() === name) || [])[1];
      const whole = valueOf("content-encoding") ? NaN : parseInt(valueOf("content-length"), 10);
      const came = whole > end.length ? `${sizeText(end.length)} of ${sizeText(whole)} arrived` : `${sizeText(end.length)} arrived`;
      return make("p", { class: "warning", role: "note" }, `The answer was cut off: ${came}.`);
    }

    function request(exchange, one) {
      if (!one || !one.sends.length) return [make("p", { class: "faint" }, "Nothing was sent.")];
      const parts = one.sends.slice(0, -1).map((sent, index) => make("details", { class: "hop" },
        make("summary", {}, `${one.end && one.end.redirects[index] ? one.end.redirects[index].status : "Redirected"}: ${sent.method} ${sent.url}`),
        fields("Headers", sent.headers), bodyOf(sent.body, sent.headers, `The body of request ${index + 1}`)));
      const sent = one.sends[one.sends.length - 1];
      parts.push(make("p", { class: "url" }, make("b", {}, sent.method), ` ${sent.url}`));
      const query = sent.url.split("#")[0].split("?").slice(1).join("?");
      if (query) parts.push(fields("Query", pairsOf(query)));
      parts.push(fields("Headers", sent.headers), bodyOf(sent.body, sent.headers, "The request's body"));
      if (sent.trailers) parts.push(fields("Trailers", sent.trailers));
      return parts;
    }

    function command(exchange, one) {
      if (!one || !one.sends.length) return [make("p", { class: "faint" }, "Nothing was sent.")];
      const last = one.sends.length - 1;
      return one.sends.map((sent, index) => {
        const title = last ? `Request ${index + 1} of ${last + 1}` : "As a curl command", isLast = index === last;
        return make("section", {}, make("h3", {}, title, last > 0 && make("span", { class: "count" }, index ? isLast ? "the last request" : "an intermediate request" : "the first request"),
          copying("Copy the curl command", sent.curl, "Copy", isLast ? "copy-curl" : undefined)),
          last > 0 && make("p", { class: "url" }, make("b", {}, sent.method), ` ${sent.url}`),
          make("pre", { id: isLast ? "curl" : undefined, class: "curl", tabindex: 0 }, sent.curl));
      });
    }

    function copying(title, text, label, id) {
      const button = make("button", { type: "button", class: "copy", title, "aria-label": title, id }, label);
      button.addEventListener("click", event => { event.stopPropagation(); copy(text, button); });
      return button;
    }

    async function copy(text, button, told = "Copied.") {
      try { await navigator.clipboard.writeText(text); } catch {
        const area = make("textarea", { class: "unseen" });
        area.value = text;
        document.body.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
      }
      byId("said").textContent = told;
      if (button) { button.classList.add("done"); setTimeout(() => { button.classList.remove("done"); byId("said").textContent = ""; }, 1200); }
    }

    function pressKey(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target === byId("order") && event.key !== "Escape") return;
      const isTyping = event.target === byId("filter"), inList = byId("list").contains(event.target) || event.target === document.body;
      const page = Math.max(1, Math.floor(byId("list").clientHeight / view.height) - 1), last = view.shown.length - 1;
      const moves = { ArrowDown: view.active + 1, ArrowUp: view.active - 1, j: view.active + 1, k: view.active - 1, PageDown: view.active + page,
        PageUp: view.active - page, Home: 0, End: last };
      if (event.key === "Escape") { if (byId("helping").open) byId("helping").open = false; else if (isTyping && !view.open) byId("list").focus(); else close(); }
      else if (isTyping) { if (event.key === "ArrowDown" || event.key === "Enter") activate(view.active); else return; }
      else if (event.key === "/") byId("filter").select();
      else if (event.target.getAttribute && event.target.getAttribute("role") === "tab" && /^Arrow(Left|Right)$/.test(event.key)) {
        panel.tab = (panel.tab + (event.key === "ArrowRight" ? 1 : tabs.length - 1)) % tabs.length;
        show();
        byId(`tab-${panel.tab}`).focus();
      } else if (view.open && /^[1-4]$/.test(event.key)) { panel.tab = event.key - 1; show(); }
      else if (event.key === "c" && view.shown[view.active]) {
        const sends = (view.open || view.shown[view.active]).attempts.flatMap(one => one.sends);
        const last = sends[sends.length - 1];
        if (last) copy(last.curl, byId("copy-curl"), `Copied the command of ${last.method} ${last.url}.`);
      } else if (inList && event.key in moves) activate(moves[event.key]);
      else if (inList && (event.key === "Enter" || event.key === " ") && view.shown[view.active]) open(view.shown[view.active]);
      else return;
      event.preventDefault();
    }

    /** Keeps the filter, the order and the open exchange in the fragment of the URL, for a reload. */
    function keepState() {
      const state = new URLSearchParams();
      if (byId("filter").value) state.set("filter", byId("filter").value);
      if (view.sort !== "number" || view.down) state.set("sort", `${view.down ? "-" : ""}${view.sort}`);
      if (view.open) { state.set("open", view.open.number); state.set("tab", panel.tab); }
      if (panel.following) state.set("follow", 1);
      const text = `#${state}`;
      if (text !== (location.hash || "#")) history.replaceState(null, "", text);
    }

    function restoreState() {
      const state = new URLSearchParams(location.hash.slice(1)), sort = state.get("sort") || "number";
      byId("filter").value = state.get("filter") || "";
      view.down = sort.startsWith("-");
      const key = sort.replace("-", "");
      if (columns.some(column => column[0] === key)) view.sort = key;
      panel.tab = Math.min(3, Math.max(0, parseInt(state.get("tab"), 10) || 0));
      return { open: exchanges.get(parseInt(state.get("open"), 10)), follows: state.has("follow") };
    }

    /** Reloads the page every two seconds. A full page opens the next page, which has the new exchanges. */
    function follow(isOn) {
      clearTimeout(panel.following);
      if (isOn && run.next) return void location.replace(`${pageName(run.next)}#follow=1`);
      panel.following = isOn ? setTimeout(() => location.reload(), 2000) : 0;
      byId("follow").setAttribute("aria-pressed", isOn);
      keepState();
    }

    /** Fits the rows to the width of the list. */
    function fit() {
      const list = byId("list"), width = list.clientWidth, isSmall = width < 560;
      byId("listing").classList.toggle("small", isSmall);
      byId("listing").classList.toggle("middle", !isSmall && width < 900);
      byId("listing").classList.toggle("folded", width < 900);
      const height = isSmall ? 60 : width < 900 ? 48 : 30;
      if (height !== view.height) { view.height = height; refresh(); } else draw();
    }

    function notices() {
      const texts = [];
      if (run.lost) texts.push(`${plural(run.lost, "event")} ${run.lost === 1 ? "is" : "are"} missing: they came faster than they could be written, or could not be written.`);
      if (run.broken) texts.push("The last event was cut off, as when a process is killed.");
      const notice = byId("notice");
      notice.hidden = !texts.length && run.page < 2 && !run.next;
      notice.textContent = texts.join(" ");
      if (run.page > 1) notice.append(" ", make("a", { href: pageName(run.page - 1) }, "The page before"), " has what began earlier.");
      if (run.next) notice.append(" This page is full: ", make("a", { id: "next", href: pageName(run.next) }, "the next page"), " has what began later.");
    }

    const pageName = number => `page-${Number(number)}.html`;

    document.addEventListener("DOMContentLoaded", () => {
      readBlocks();
      const { open: wanted, follows } = restoreState();
      byId("run").textContent = run.page > 1 ? `${run.title}, page ${run.page}` : run.title;
      notices();
      drawColumns();
      for (const [id, word] of Object.entries(quick)) byId(id).addEventListener("click", () => toggleWord(word));
      byId("filter").addEventListener("input", refresh);
      byId("follow").addEventListener("click", () => follow(!panel.following));
      byId("list").addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
      document.addEventListener("keydown", pressKey);
      refresh();
      new ResizeObserver(fit).observe(byId("list"));
      fit();
      if (wanted) { view.active = Math.max(0, view.shown.indexOf(wanted)); open(wanted, false); activate(view.active, false); }
      if (follows) { follow(true); if (!wanted) { const list = byId("list"); list.scrollTop = list.scrollHeight; } }
      document.documentElement.dataset.ready = exchanges.size;
    });
    """#
}
