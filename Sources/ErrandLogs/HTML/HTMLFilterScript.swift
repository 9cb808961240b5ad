enum HTMLFilterScript {
  static let text = #"""
    const knownTraits = ["success", "failed", "cancelled", "pending", "retried", "redirected", "cached", "mocked"];
    const textKeys = ["method", "host", "path", "url", "type", "comment", "error"];
    const knownKeys = ["status", "id", "is", "slower", "larger", "body", ...textKeys];

    /** The tests of a filter, which an exchange must all pass, and sentences about unreadable words. */
    function testsOf(text) {
      const hints = [];
      const tests = text.toLowerCase().split(/\s+/).filter(Boolean).map(word => {
        const isNot = word.length > 1 && word.startsWith("-"), asked = testOf(isNot ? word.slice(1) : word);
        if (asked.hint) hints.push(asked.hint);
        return isNot && asked.test !== always ? exchange => !asked.test(exchange) : asked.test;
      });
      return { tests, hints };
    }

    const always = () => true;
    const leftOut = (word, hint) => ({ test: always, hint: `“${word}” is ignored: ${hint}` });

    function testOf(word) {
      // The number of a dispatch: #24, id:24, or [24.1] as on the console.
      const number = /^(?:#|id:)(\d+)(?:\.\d+)?$|^\[(\d+)(?:\.\d+)?\]$/.exec(word);
      if (number) return { test: exchange => `${exchange.id}` === (number[1] || number[2]) };
      const colon = word.indexOf(":"), key = word.slice(0, colon), value = word.slice(colon + 1);
      const plain = { test: exchange => exchange.words.includes(word) };
      if (colon < 1) return plain;
      if (!knownKeys.includes(key)) {
        // Usually no hint for the colon of a URL, before a port, or in a time of day.
        const isMeant = /^[a-z]+$/.test(key) && !value.startsWith("//") && !/^\d+([/?].*)?$/.test(value);
        if (isMeant) plain.hint = `“${key}:” is not a key of the filter, so the filter searched for the text. The keys are ${knownKeys.join(", ")}.`;
        return plain;
      }
      return value ? keyTest(word, key, value) : leftOut(word, "the value after the colon is missing.");
    }

    function keyTest(word, key, value) {
      if (textKeys.includes(key)) return { test: exchange => exchange[key].toLowerCase().includes(value) };
      if (key === "body") return { test: exchange => insideOf(exchange).includes(value) };
      if (key === "status") {
        const digits = value.replace(/x+$/, "");
        return /^\d*$/.test(digits) ? { test: exchange => !!exchange.status && `${exchange.status}`.startsWith(digits) }
          : leftOut(word, "write status:404, or status:4 for every 4xx status.");
      }
      if (key === "is") {
        const meant = knownTraits.filter(trait => trait.startsWith(value));
        return meant.length ? { test: exchange => traits(exchange).some(trait => meant.includes(trait)) }
          : leftOut(word, `the values are ${knownTraits.map(trait => `is:${trait}`).join(", ")}.`);
      }
      const bound = key === "slower" ? measured(value, { ms: 1, s: 1000, min: 60000 })
        : measured(value.replace(/b$/, ""), { k: 1e3, m: 1e6, g: 1e9 });
      if (key === "slower" && bound !== null) return { test: exchange => exchange.duration > bound };
      if (key === "larger" && bound !== null) return { test: exchange => exchange.size > bound };
      return leftOut(word, key === "slower" ? "write slower:300, slower:300ms or slower:0.3s." : key === "larger" ? "write larger:500, larger:10k or larger:2m."
        : "write id:24, or #24.");
    }

    /** The value of a number with an optional unit; null for other text. */
    function measured(text, units) {
      const parts = /^(\d+(?:\.\d*)?|\.\d+)([a-z]*)$/.exec(text);
      const unit = parts && (!parts[2] ? 1 : Object.hasOwn(units, parts[2]) ? units[parts[2]] : 0);
      return unit ? parseFloat(parts[1]) * unit : null;
    }

    function traits(exchange) {
      return [exchange.state === "failure" ? "failed" : exchange.state, exchange.tries > 1 && "retried", ...exchange.tags];
    }

    """#
}
