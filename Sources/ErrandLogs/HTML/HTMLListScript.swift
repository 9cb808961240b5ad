/// The script of the list.
///
/// For speed, the script creates only the rows near the visible area, and the active row.
enum HTMLListScript {
  static let text = #"""
    const view = { shown: [], active: 0, open: null, sort: "number", down: false, rows: new Map(), height: 30, body: new Map() };
    const columns = [["number", "#"], ["status", "Status"], ["method", "Method"], ["path", "Name"], ["host", "Host, comment"], ["size", "Size"],
      ["duration", "Time"], ["tries", "Tries"], ["time", "Begun"], ["fall", "Waterfall"]];
    const cellNames = { path: "name", host: "where" }, slowTime = 1000;

    const textsOf = body => !body ? [] : [body.text || "", ...(body.parts || []).flatMap(part => [part.name || "", part.file || "", ...textsOf(part.body)])];

    /** The text of heads and bodies in lower case, computed at the first call for an exchange. */
    function insideOf(exchange) {
      let text = view.body.get(exchange);
      if (text === undefined) {
        const parts = exchange.attempts.flatMap(one => [...one.sends, one.end, one.shown && { body: one.shown }]).filter(Boolean);
        text = parts.flatMap(part => [...(part.headers || []).map(field => field.join(": ")), ...textsOf(part.body)])
          .join("\n").toLowerCase();
        view.body.set(exchange, text);
      }
      return text;
    }

    function refresh() {
      const { tests, hints } = testsOf(byId("filter").value), kept = view.shown[view.active];
      view.shown = [...exchanges.values()].filter(exchange => tests.every(test => test(exchange)));
      const key = view.sort === "fall" ? "time" : view.sort, sign = view.down ? -1 : 1;
      const order = value => value === undefined ? -Infinity : value;
      view.shown.sort((a, b) => {
        const [x, y] = [order(a[key]), order(b[key])];
        return (x < y ? -1 : x > y ? 1 : a.number - b.number) * sign;
      });
      view.active = Math.max(0, view.shown.indexOf(kept));
      for (const row of view.rows.values()) row.remove();
      view.rows.clear();
      byId("list").setAttribute("aria-rowcount", view.shown.length);
      byId("rows").style.height = `${view.shown.length * view.height}px`;
      const isEmpty = view.shown.length === 0;
      byId("nothing").hidden = !isEmpty;
      byId("hint").hidden = !hints.length;
      byId("hint").textContent = hints.join(" ");
      byId("nothing").textContent = exchanges.size ? "No exchange matches all words of the filter." : "No exchange was logged yet.";
      summarize();
      pressed();
      draw();
      keepState();
    }

    function summarize() {
      const all = view.shown, failed = all.filter(exchange => exchange.state === "failure").length;
      const pending = all.filter(exchange => exchange.state === "pending").length;
      const bytes = all.reduce((sum, exchange) => sum + (exchange.size || 0), 0);
      const count = all.length === exchanges.size ? plural(all.length, "exchange")
        : `${all.length.toLocaleString("en")} of ${plural(exchanges.size, "exchange")}`;
      byId("sum").textContent = [count, failed ? `${failed.toLocaleString("en")} failed` : "",
        pending ? `${pending.toLocaleString("en")} under way` : "", sizeText(bytes)].filter(Boolean).join(" · ");
    }

    /** Shows the rows in and near the visible area, and the active row, which may have the focus. */
    function draw() {
      const list = byId("list"), first = Math.max(0, Math.floor(list.scrollTop / view.height) - 8);
      const last = Math.min(view.shown.length, Math.ceil((list.scrollTop + list.clientHeight) / view.height) + 8);
      const wanted = new Set();
      for (let index = first; index < last; index += 1) wanted.add(index);
      if (view.active < view.shown.length) wanted.add(view.active);
      for (const [index, row] of view.rows) if (!wanted.has(index)) { row.remove(); view.rows.delete(index); }
      for (const index of [...wanted].sort((a, b) => a - b)) if (!view.rows.has(index)) addRow(index);
      mark();
      drawFalls(Math.max(first, Math.floor(list.scrollTop / view.height)), last);
    }

    function addRow(index) {
      const exchange = view.shown[index];
      const cell = (name, ...children) => make("div", { class: name, role: "gridcell" }, ...children);
      const row = make("div", { class: `row ${outcomeOf(exchange)}`, role: "row", id: `row-${exchange.number}`, "aria-rowindex": index + 1,
        tabindex: -1 },
        cell("number", exchange.id === undefined ? "–" : `${exchange.id}`),
        cell("status", make("span", { class: "pill" }, labelOf(exchange))),
        cell("method", exchange.method),
        cell("name", make("span", { class: "path" }, exchange.path || exchange.type || "(not built)"),
          exchange.tags.map(tag => make("span", { class: "tag" }, tag))),
        cell("where", make("span", { class: "host" }, exchange.host), exchange.comment && make("span", { class: "comment" }, exchange.comment)),
        cell("size", sizeText(exchange.size)), cell("duration", timeText(exchange.duration)),
        cell(exchange.tries > 1 ? "tries many" : "tries once", exchange.tries > 1 ? `${exchange.tries}×` : `${exchange.tries}`),
        cell("time", clockText(exchange.time)), cell("fall", make("div", { class: "bar" })));
      row.title = `${exchange.method} ${exchange.url}${exchange.comment ? `\n${exchange.comment}` : ""}`;
      row.style.top = `${index * view.height}px`;
      row.addEventListener("click", () => { activate(index); open(exchange); });
      row.addEventListener("focus", () => { if (view.active !== index) { view.active = index; mark(); } });
      const later = [...view.rows.keys()].filter(other => other > index).sort((a, b) => a - b)[0];
      byId("rows").insertBefore(row, later === undefined ? null : view.rows.get(later));
      view.rows.set(index, row);
    }

    function mark() {
      for (const [index, row] of view.rows) {
        const isOpen = view.open === view.shown[index];
        row.tabIndex = index === view.active ? 0 : -1;
        row.classList.toggle("open", isOpen);
        row.setAttribute("aria-selected", isOpen);
      }
    }

    /** Draws the waterfalls of the visible rows to the same scale, so that the rows fill the width. */
    function drawFalls(first, last) {
      const seen = view.shown.slice(first, last).filter(exchange => exchange.time !== undefined);
      const from = Math.min(...seen.map(exchange => exchange.time));
      const until = Math.max(...seen.map(exchange => exchange.time + (exchange.duration || 0)), from + 1);
      for (const scale of document.querySelectorAll(".scale")) scale.textContent = seen.length ? `${timeText(until - from)} across` : "";
      for (const [index, row] of view.rows) {
        const exchange = view.shown[index], bar = row.querySelector(".bar");
        if (exchange.time === undefined) continue;
        bar.replaceChildren(...barsOf(exchange, from - exchange.time, until - from));
      }
    }

    /** The bars of an exchange, on a scale of `width` ms that begins at `from`, in ms from the start of the exchange. */
    function barsOf(exchange, from, width) {
      const spans = spansOf(exchange);
      if (exchange.state === "pending") {
        const begun = spans.length ? spans[spans.length - 1].to : 0;
        spans.push({ phase: "pending", from: begun, to: Math.max(from + width, begun) });
      }
      if (!spans.length) spans.push({ phase: "wait", from: 0, to: 0 });
      return spans.map(span => {
        const piece = make("i", { class: span.phase });
        piece.style.left = `${((span.from - from) / width * 100).toFixed(3)}%`;
        piece.style.width = `max(2px, ${((span.to - span.from) / width * 100).toFixed(3)}%)`;
        return piece;
      });
    }

    function activate(index, hasFocus = true) {
      if (!view.shown.length) return;
      view.active = Math.max(0, Math.min(index, view.shown.length - 1));
      const list = byId("list"), top = view.active * view.height;
      if (top < list.scrollTop) list.scrollTop = top;
      else if (top + view.height > list.scrollTop + list.clientHeight) list.scrollTop = top + view.height - list.clientHeight;
      draw();
      const row = view.rows.get(view.active);
      if (row && hasFocus) row.focus({ preventScroll: true });
      if (view.open && view.open !== view.shown[view.active] && !isNarrow()) open(view.shown[view.active], false);
    }

    function drawColumns() {
      byId("columns").replaceChildren(sorting(), ...columns.map(([key, title]) => {
        const button = make("button", { type: "button", class: cellNames[key] || key }, title,
          make("span", { class: "arrow", "aria-hidden": "true" }, view.sort === key ? view.down ? "↓" : "↑" : ""),
          key === "fall" && make("span", { class: "scale" }));
        button.setAttribute("aria-pressed", view.sort === key);
        button.addEventListener("click", () => sortBy(key, view.sort === key ? !view.down : isDownFirst(key)));
        return button;
      }));
    }

    const isDownFirst = key => ["size", "duration", "tries"].includes(key);

    function sortBy(key, isDown) {
      [view.sort, view.down] = [key, isDown];
      drawColumns();
      refresh();
    }

    /** A menu for the order, in place of the column titles, which do not fit rows of several lines. */
    function sorting() {
      const choice = make("select", { id: "order" }, columns.filter(([key]) => key !== "fall").map(([key, title]) =>
        make("option", { value: key, selected: view.sort === key || key === "time" && view.sort === "fall" }, key === "number" ? "Number" : title)));
      choice.addEventListener("change", () => { sortBy(choice.value, isDownFirst(choice.value)); byId("order").focus(); });
      const way = make("button", { type: "button", id: "way", "aria-label": view.down ? "Falling, turn it round" : "Rising, turn it round" }, view.down ? "↓" : "↑");
      way.addEventListener("click", () => { sortBy(view.sort, !view.down); byId("way").focus(); });
      return make("div", { id: "sorting" }, make("label", {}, "Sort by ", choice), way, make("span", { class: "scale" }));
    }

    const quick = { failed: "is:failed", retried: "is:retried", slow: `slower:${slowTime}` };

    function pressed() {
      const words = byId("filter").value.split(/\s+/);
      for (const [id, word] of Object.entries(quick)) byId(id).setAttribute("aria-pressed", words.includes(word));
    }

    function toggleWord(word) {
      const words = byId("filter").value.split(/\s+/).filter(Boolean);
      byId("filter").value = (words.includes(word) ? words.filter(other => other !== word) : [...words, word]).join(" ");
      refresh();
    }

    """#
}
