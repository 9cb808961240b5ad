/// The part of a page's script for fields and bodies.
enum HTMLBodyScript {
  static let text = #"""
    const pictures = ["image/png", "image/jpeg", "image/gif", "image/webp"];
    const deepest = 60, mostTokens = 40000;

    function fields(title, list) {
      if (!list || !list.length) return make("section", {}, make("h3", {}, title), make("p", { class: "faint" }, "None."));
      return make("section", {}, make("h3", {}, title, make("span", { class: "count" }, `${list.length}`)),
        make("table", { class: "fields" }, make("tbody", {}, list.map(([name, value]) =>
          make("tr", {}, make("th", { scope: "row" }, name), make("td", { class: value === "<redacted>" ? "hidden" : null }, value))))));
    }

    /** The text with escapes for invisible characters and for characters that change the text direction. Only text decoded by the page needs this. */
    const printed = text => text.replace(
      /(?![\t\n\u200C\u200D\uFE00-\uFE0F\u{E0100}-\u{E01EF}])[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]/gu,
      sign => `\\u{${sign.codePointAt(0).toString(16).toUpperCase()}}`);

    function pairsOf(text) {
      const plain = part => { try { return printed(decodeURIComponent(part.replace(/\+/g, " "))); } catch { return part; } };
      return text.split("&").filter(Boolean).map(pair => {
        const equals = pair.indexOf("=");
        return equals < 0 ? [plain(pair), ""] : [plain(pair.slice(0, equals)), plain(pair.slice(equals + 1))];
      });
    }

    const faint = text => make("p", { class: "faint" }, text);

    function bodyOf(body, headers, name, heading = "Body") {
      const section = make("section", { class: "body", "aria-label": name }), title = make("h3", {}, heading);
      section.append(title);
      if (!body || body.kind === "none") { section.append(faint("None.")); return section; }
      title.append(make("span", { class: "count" }, [body.length === undefined ? "" : sizeText(body.length), body.type].filter(Boolean).join(" · ")));
      if (body.kind === "text") textBody(section, title, body);
      else if (body.kind === "image") section.append(picture(body));
      else if (body.kind === "binary") {
        section.append(faint(body.bytes ? "The body is not text. The first bytes are" : "The bytes of the body are not shown."));
        if (body.bytes) section.append(make("pre", { class: "hex", tabindex: 0 }, body.bytes));
      } else if (body.kind === "parts") appendParts(section, body);
      else if (body.kind === "omitted") section.append(faint("Bodies of the request are excluded from the log."));
      else if (body.kind === "deferred") section.append(faint("The text to show in place of the body never arrived."));
      else section.append(faint("The body was streamed or written to a file, so the log has only the size."), body.text ? make("pre", { tabindex: 0 }, body.text) : "");
      return section;
    }

    /** Appends each part as a separate body, headed by the names of the part and of its file. */
    function appendParts(section, body) {
      section.append(faint(body.text || ""));
      for (const part of body.parts) {
        const heading = [part.name === undefined ? "A part" : part.name, part.file].filter(Boolean).join(", ");
        section.append(bodyOf(part.body, null, heading, heading));
      }
      if (body.partCount !== undefined) section.append(faint(`Only the first ${body.parts.length} of ${body.partCount} parts are shown.`));
    }

    function picture(body) {
      if (!pictures.includes(body.type)) return faint("This picture is not shown.");
      const image = make("img", { alt: `Picture, ${sizeText(body.length)}` }), frame = make("figure", {}, image, make("figcaption", {}));
      image.addEventListener("load", () => { frame.lastChild.textContent = `${image.naturalWidth} × ${image.naturalHeight}`; });
      image.addEventListener("error", () => { frame.lastChild.textContent = "The browser cannot show the picture."; });
      image.src = `data:${body.type};base64,${body.bytes}`;
      return frame;
    }

    function textBody(section, title, body) {
      const text = body.text || "", isForm = body.type === "application/x-www-form-urlencoded";
      const isJSON = /json/.test(body.type || "") || /^\s*[[{]/.test(text);
      const tree = isForm ? fields("Fields", pairsOf(text)) : isJSON ? folding(text) : null;
      const raw = make("pre", { class: "raw", tabindex: 0 }, text);
      title.append(copying("Copy the body", text, "Copy"));
      section.append(tree || raw, body.shown !== undefined ? faint(`Only the first ${sizeText(body.shown)} of ${sizeText(body.length)} are shown.`) : "");
      if (!tree) return;
      raw.hidden = true;
      tree.after(raw);
      const choose = make("button", { type: "button", class: "copy", "aria-pressed": "false" }, "As sent");
      choose.addEventListener("click", () => {
        [raw.hidden, tree.hidden] = [!raw.hidden, raw.hidden];
        tree.hidden = !raw.hidden;
        choose.setAttribute("aria-pressed", !raw.hidden);
      });
      title.append(choose);
      if (isForm) return;
      const fold = make("button", { type: "button", class: "copy fold" }, "Fold");
      fold.addEventListener("click", () => {
        const inner = [...tree.querySelectorAll("details details")], isOpen = inner.some(one => one.open);
        for (const one of inner) one.open = !isOpen;
        fold.textContent = isOpen ? "Unfold" : "Fold";
      });
      if (tree.querySelector("details details")) title.append(fold);
    }

    /** The tokens of JSON text, which may be truncated. Numbers keep their digits. Strings are scanned by a loop, because a regular expression may fail for a long string. */
    function* tokensOf(text) {
      const start = /\S/g, end = /[\s[\]{}:,"]/g;
      for (let found; (found = start.exec(text));) {
        const from = found.index, sign = found[0];
        let to = from + 1;
        if (sign === '"') to = endOfString(text, to);
        else if (!"[]{}:,".includes(sign)) { end.lastIndex = from; to = (end.exec(text) || { index: text.length }).index; }
        yield text.slice(from, to);
        start.lastIndex = to;
      }
    }

    function endOfString(text, from) {
      const quote = 34, backslash = 92;
      for (let at = from; at < text.length; at += 1) {
        const unit = text.charCodeAt(at);
        if (unit === quote) return at + 1;
        if (unit === backslash) at += 1;
      }
      return text.length;
    }

    /** JSON as elements that fold; null if no value was found, brackets do not match, or the text is too deep (`deepest`) or too long (`mostTokens`). */
    function folding(text) {
      const root = make("div", { class: "json" }), stack = [{ place: root, count: 0, isObject: false }];
      let key = null, count = 0;
      for (const token of tokensOf(text)) {
        const top = stack[stack.length - 1];
        count += 1;
        if (count > mostTokens || stack.length > deepest) return null;
        if (token === "{" || token === "[") {
          stack.push(container(top, token, key, stack.length));
          key = null;
        } else if (token === "}" || token === "]") {
          if (stack.length < 2 || token !== (top.isObject ? "}" : "]")) return null;
          finish(stack.pop());
        } else if (token === ":") {
          const last = top.place.lastChild;
          if (!top.isObject || !last) return null;
          key = last;
          last.remove();
          top.count -= 1;
        } else if (token === ",") separate(top);
        else {
          add(top, key, scalar(token));
          key = null;
        }
      }
      if (key) add(stack[stack.length - 1], key, make("span", { class: "cut" }, "…"));
      while (stack.length > 1) { const top = stack.pop(); top.place.append(make("div", { class: "cut" }, "…")); finish(top); }
      return count ? root : null;
    }

    function add(top, key, value) {
      top.place.append(make("div", { class: "member" }, key ? [keyOf(key), ": "] : "", value));
      top.count += 1;
    }

    /** Appends a comma to the last member, so that selected and copied text is JSON. */
    function separate(top) {
      const last = top.place.lastElementChild;
      if (last) (last.tagName === "DETAILS" ? last.lastElementChild : last).append(",");
    }

    const keyOf = member => make("span", { class: "key" }, member.textContent);

    function container(top, token, key, depth) {
      const size = make("span", { class: "count" }), place = make("div", { class: "inside" });
      const close = token === "{" ? "}" : "]";
      const fold = make("details", { open: depth < 4 }, make("summary", {}, key ? [keyOf(key), ": "] : "", token, size), place, make("div", {}, close));
      top.place.append(fold);
      top.count += 1;
      return { place, size, count: 0, isObject: token === "{", close };
    }

    function finish(top) {
      top.size.textContent = `${plural(top.count, top.isObject ? "member" : "item")} ${top.close}`;
    }

    function scalar(token) {
      const kind = token.startsWith('"') ? "string" : /^[-\d]/.test(token) ? "digits" : "word";
      return make("span", { class: token === '"<redacted>"' ? "hidden" : kind }, token);
    }

    """#
}
