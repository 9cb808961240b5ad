package import Foundation

/// Documents that try to cost more than their size.
package enum HostileDocument {
  /// Returns the names and bytes of documents of about `size` bytes.
  package static func all(size: Int) -> [(name: String, document: Data)] {
    func repeated(_ open: String, _ piece: String, _ close: String) -> Data {
      Data((open + String(repeating: piece, count: size / piece.utf8.count) + close).utf8)
    }
    func joined(_ open: String, _ close: String, each bytes: Int, _ piece: (Int) -> String) -> Data {
      Data((open + (0..<size / bytes).map(piece).joined(separator: ",") + close).utf8)
    }
    return [
      ("backslashes", repeated("[\"", "\\\\", "\"]")), ("quotes", repeated("[\"", "\\\"", "\"]")),
      ("escapes", repeated("[\"", "\\u0041", "\"]")),
      ("surrogates", repeated("[\"", "\\ud83d\\ude00", "\"]")),
      ("half of surrogates", repeated("[\"", "\\ud83d", "\"]")),
      ("an open text", repeated("[\"", "a", "")),
      ("digits", repeated("[", "1", "]")), ("digits after a point", repeated("[0.", "1", "]")),
      ("zeros", repeated("[0.", "0", "1]")), ("an exponent", repeated("[1e", "9", "]")),
      ("white space", repeated("[", " \n", "]")),
      ("commas", repeated("[", ",", "]")), ("open brackets", repeated("", "[", "")),
      ("open objects", repeated("", "{\"a\":", "")),
      ("closed brackets", repeated("", "]", "")),
      ("empty arrays", joined("[", "]", each: 3) { _ in "[]" }),
      ("empty objects", joined("[", "]", each: 3) { _ in "{}" }),
      ("one name", joined("{", "}", each: 8) { _ in "\"id\":1" }),
      ("one escaped name", joined("{", "}", each: 13) { _ in "\"\\u0069d\":1" }),
      (
        "equivalent names",
        joined("{", "}", each: 8) { $0.isMultiple(of: 2) ? "\"é\":1" : "\"e\u{301}\":1" }
      ),
      ("names", joined("{", "}", each: 14) { "\"name\($0)\":\($0)" }),
      ("names from the last", joined("{", "}", each: 14) { "\"name\(size / 14 - $0)\":\($0)" }),
      (
        "names that begin alike",
        joined("{", "}", each: 60) { "\"\(String(repeating: "a", count: 48))\($0)\":1" }
      ),
      ("accents", repeated("{\"e", "\u{301}", "\":1}")),
      ("bytes that are no text", Data("[\"".utf8) + Data(repeating: 0x80, count: size)),
      ("zero bytes", Data(count: size)), ("underscores", repeated("{\"a", "_", "\":1}")),
      ("words", repeated("{\"", "a_", "\":1}")),
    ]
  }
}
