/// A text that prints as `<redacted>`: a token, a password, a key.
///
/// ```swift
/// struct Login: Request {
///   typealias Response = Token
///   var user: String
///   var password: Secret
///   let path = "login"
///   let method = HTTPMethod.post
///   var parameters: Parameters { ["user": user, "pin": password] }
/// }
/// ```
///
/// Output about a dispatch usually hides the value of a secret found in the request; see ``Redaction``.
///
/// String interpolation gives `<redacted>`, even in a request to send. Write `"Bearer \(token.reveal())"` to
/// send the value. ``Parameters`` and `Encodable` types send the value without ``reveal()``.
///
/// The operator `==` does not take constant time, so do not check a password with `==`.
public struct Secret: Sendable, Hashable, ExpressibleByStringLiteral {
  private let text: String

  /// Creates a secret from a text.
  public init(_ text: String) { self.text = text }

  /// Creates a secret from a literal, for tests.
  public init(stringLiteral value: String) { text = value }

  /// Returns the secret text, for the code that sends the text.
  public func reveal() -> String { text }
}

extension Secret: Codable {
  /// Decodes a plain string.
  public init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
  }

  /// Encodes the value as a plain string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

extension Secret: PrintedByDescription {
  /// The text `<redacted>`.
  public var description: String { Redaction.marker }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
