import Errand
import Foundation

/// How values stand in messages: short, and their secrets hidden, as messages of tests end in logs.
enum Shown {
  private static let limit = 80

  /// A value under a name, such as one of a query item; the name may be a path with dots.
  static func value(_ value: String, of name: String) -> String {
    hides(name) ? Redaction.marker : shortened(Redaction.standard.text(value))
  }

  /// The same of a piece of JSON.
  static func json(_ json: JSONTree, of name: String) -> String {
    hides(name) ? Redaction.marker : self.json(json.text)
  }

  /// JSON as it is written, also malformed.
  static func json(_ text: String) -> String {
    shortened(Redaction.standard.body(Data(text.utf8), contentType: "application/json"))
  }

  private static func hides(_ name: String) -> Bool {
    let pair = "\(name)=x"
    return Redaction.standard.text(pair) != pair
  }

  private static func shortened(_ text: String) -> String {
    text.count > limit ? "\(text.prefix(limit))…" : text
  }
}
