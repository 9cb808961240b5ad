import Errand
import Foundation

/// How values stand in messages: short, and their secrets hidden, as messages of tests end in logs.
struct MessageText: Sendable {
  /// For what has no secrets but those that names tell.
  static let standard = MessageText(redaction: .standard)

  private static let limit = 80

  /// What is hidden, besides names that look like a secret's.
  let redaction: Redaction

  /// A value under a name, such as one of a query item; the name may be a path with dots.
  func value(_ value: String, of name: String) -> String {
    hides(name) ? Redaction.marker : Self.shortened(redaction.text(value))
  }

  /// The same of a piece of JSON.
  func json(_ json: JSONValue, of name: String) -> String {
    hides(name) ? Redaction.marker : self.json((try? json.text()) ?? "JSON that is nested too deep")
  }

  /// JSON as it is written, also malformed.
  func json(_ text: String) -> String {
    Self.shortened(redaction.body(Data(text.utf8), contentType: "application/json"))
  }

  /// A body as far as it is text.
  func body(_ body: Data, _ contentType: String?) -> String {
    Self.shortened(redaction.body(body, contentType: contentType))
  }

  private func hides(_ name: String) -> Bool {
    let pair = "\(name)=x"
    return Redaction.standard.text(pair) != pair
  }

  private static func shortened(_ text: String) -> String {
    text.count > limit ? "\(text.prefix(limit))…" : text
  }
}

extension Redaction {
  /// The target of a request or the URL of a stub as it is written, with the secrets of URLs in its query hidden too.
  func target(_ text: String) -> String { self.text(url(text: text)) }
}
