import Errand
import Foundation

/// How values stand in messages: short, and their secrets hidden, as messages of tests end in logs.
struct MessageText: Sendable {
  /// For what has no secrets but those that names tell.
  static let standard = MessageText(redaction: .standard)

  private static let limit = 80
  /// The same of a path, a query and a URL.
  private static let placeLimit = 400
  /// Of a longer text no more than this is looked at, as a client may send any length and many stubs speak of it.
  private static let pieceLength = 4096

  /// What is hidden, besides names that look like a secret's.
  let redaction: Redaction

  /// A value under a name, such as one of a query item; the name may be a path with dots.
  ///
  /// Of one that is hidden its length is told, and its scheme where it is a credential: what else differs cannot be guessed.
  ///
  /// - Parameter found: what came in place of the value, to tell where it differs; `nil` when that says nothing.
  func value(_ value: String, of name: String, insteadOf found: String? = nil) -> String {
    guard !value.isEmpty else { return "empty" }
    let shown = hidingSecrets(value)
    guard hides(name) || shown == Redaction.marker else { return Self.shortened(shown) }
    return hidden(value, of: name, insteadOf: found)
  }

  /// What is wrong with values of a name, as the end of a sentence: what they are, and what a pattern asks for.
  func difference(of found: [String], from pattern: TextPattern, named name: String, verb: String = "is")
    -> String
  {
    if let problem = pattern.problem(with: found, { value($0, of: name) }) {
      return "cannot be compared: \(problem)"
    }
    let words = pattern.words { text, isStart in
      value(text, of: name, insteadOf: isStart && found.count == 1 ? found[0] : nil)
    }
    return "\(verb) \(values(found, of: name)), not \(words)"
  }

  /// All values of a name.
  func values(_ values: [String], of name: String) -> String {
    values.isEmpty ? "missing" : values.map { value($0, of: name) }.joined(separator: ", ")
  }

  /// The same of a piece of JSON.
  func json(_ json: JSONValue, of name: String, insteadOf found: JSONValue? = nil) -> String {
    guard hides(name) else { return self.json((try? json.text()) ?? "JSON that is nested too deep") }
    if case .string(let text) = json { return value(text, of: "secret", insteadOf: found?.string) }
    return json == .null ? "null" : "\(Redaction.marker) (\(json.kind))"
  }

  /// JSON as it is written, also malformed.
  func json(_ text: String) -> String {
    Self.shortened(redaction.body(Data(text.utf8), contentType: "application/json"))
  }

  /// A body as far as it is text.
  func body(_ body: Data, type contentType: String?) -> String {
    redaction.excerpt(of: body, type: contentType, length: Self.limit)
  }

  /// A path or an origin.
  func place(_ text: String) -> String { Self.shortenedPlace(hidingSecrets(text)) }

  /// A query without its `?`, with the secrets of URLs in it hidden too.
  func query(_ text: String?) -> String {
    guard let text else { return "missing" }
    let piece = beginning(of: text)
    let shown = redaction.target("?\(piece ?? text)").dropFirst()
    return text.isEmpty ? "empty" : Self.shortenedPlace("\(shown)\(piece == nil ? "" : "…")")
  }

  /// What was printed of a place, cut where it is long.
  static func shortenedPlace(_ text: String) -> String {
    text.utf8.count > placeLimit && text.count > placeLimit ? "\(text.prefix(placeLimit))…" : text
  }

  /// The text, of a long one the beginning.
  private func hidingSecrets(_ text: String) -> String {
    beginning(of: text).map { "\($0)…" } ?? redaction.text(text)
  }

  /// The beginning of a long text, also without a secret that was cut there; `nil` of one that is short.
  private func beginning(of text: String) -> String? {
    guard text.utf8.count > Self.pieceLength else { return nil }
    let piece = text.utf8.prefix(Self.pieceLength).filter { $0 != 0 }
    return redaction.body(Data(piece), contentType: "text/plain")
  }

  /// What may be told of a secret.
  private func hidden(_ value: String, of name: String, insteadOf found: String?) -> String {
    let scheme = Self.scheme(of: value, under: name)
    guard scheme.count < value.count else { return String(scheme.dropLast()) }
    let length = "\(value.count) character\(value.count == 1 ? "" : "s")"
    let place = found.map { zip($0, value).prefix { $0 == $1 }.count } ?? value.count
    return
      "\(scheme)\(Redaction.marker) (\(length)\(place < value.count ? ", differs at character \(place + 1)" : ""))"
  }

  /// The name of a registered scheme that a credential begins with, and its blank; empty when there is none.
  private static func scheme(of value: String, under name: String) -> String {
    guard ["authorization", "proxy-authorization"].contains(name.lowercased()) else { return "" }
    let shown = Redaction.standard.headers(["Authorization": value])["Authorization"] ?? ""
    return shown.hasSuffix(" \(Redaction.marker)") ? String(shown.dropLast(Redaction.marker.count)) : ""
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
