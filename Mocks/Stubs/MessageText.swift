import Errand
import Foundation

/// Texts of values in messages about stubs, shortened and without known secrets.
struct MessageText: Sendable {
  static let standard = MessageText(redaction: .standard)

  private static let limit = 80
  private static let placeLimit = 400
  /// The number of bytes above which a text is cut before redaction.
  private static let pieceLength = 4096

  let redaction: Redaction

  /// Returns a value for a message: a long value is shortened, and a secret value is hidden.
  ///
  /// The text of a hidden value may give the position of the first difference from `found`.
  func value(_ value: String, of name: String, insteadOf found: String? = nil) -> String {
    guard !value.isEmpty else { return "empty" }
    let shown = hidingSecrets(value)
    guard hides(name) || shown == Redaction.marker else { return Self.shortened(shown) }
    return hidden(value, of: name, insteadOf: found)
  }

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

  func values(_ values: [String], of name: String) -> String {
    values.isEmpty ? "missing" : values.map { value($0, of: name) }.joined(separator: ", ")
  }

  func json(_ json: JSONValue, of name: String, insteadOf found: JSONValue? = nil) -> String {
    guard hides(name) else { return self.json((try? json.text()) ?? "JSON nested too deeply") }
    if case .string(let text) = json { return value(text, of: "secret", insteadOf: found?.string) }
    return json == .null ? "null" : "\(Redaction.marker) (\(json.kind))"
  }

  func json(_ text: String) -> String {
    Self.shortened(redaction.body(Data(text.utf8), contentType: "application/json"))
  }

  func body(_ body: Data, type contentType: String?) -> String {
    redaction.excerpt(of: body, type: contentType, length: Self.limit)
  }

  func place(_ text: String) -> String { Self.shortenedPlace(hidingSecrets(text)) }

  func query(_ text: String?) -> String {
    guard let text else { return "missing" }
    let piece = beginning(of: text)
    let shown = redaction.target("?\(piece ?? text)").dropFirst()
    return text.isEmpty ? "empty" : Self.shortenedPlace("\(shown)\(piece == nil ? "" : "…")")
  }

  static func shortenedPlace(_ text: String) -> String {
    text.utf8.count > placeLimit && text.count > placeLimit ? "\(text.prefix(placeLimit))…" : text
  }

  private func hidingSecrets(_ text: String) -> String {
    beginning(of: text).map { "\($0)…" } ?? redaction.text(text)
  }

  /// Returns the redacted beginning of a long text; `nil` for a short text.
  private func beginning(of text: String) -> String? {
    guard text.utf8.count > Self.pieceLength else { return nil }
    let piece = text.utf8.prefix(Self.pieceLength).filter { $0 != 0 }
    return redaction.body(Data(piece), contentType: "text/plain")
  }

  private func hidden(_ value: String, of name: String, insteadOf found: String?) -> String {
    let scheme = Self.scheme(of: value, under: name)
    guard scheme.count < value.count else { return String(scheme.dropLast()) }
    let length = "\(value.count) character\(value.count == 1 ? "" : "s")"
    let place = found.map { zip($0, value).prefix { $0 == $1 }.count } ?? value.count
    return
      "\(scheme)\(Redaction.marker) (\(length)\(place < value.count ? ", differs at character \(place + 1)" : ""))"
  }

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
  func target(_ text: String) -> String { self.text(url(text: text)) }
}
