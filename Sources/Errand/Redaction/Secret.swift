/// A text that is never printed: a token, a password, a key.
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
/// It prints as `<redacted>` wherever Swift prints: in text, in `dump`, in the request that stores it. Beyond that, its value is
/// hidden in everything Errand prints about a dispatch whose request or hooks have it; ``Redaction`` says where it is looked for.
/// Only ``reveal()`` gives the value, so that a search for it finds each place where a secret goes out:
/// `"Bearer \(token.reveal())"`. Without it, `<redacted>` is what is sent.
///
/// It is encoded and decoded as a plain string, and sent as its value where it stands in ``Parameters``. `==` is not constant in
/// time: do not judge a visitor's password by it. The memory of the process has the value in plain text, as long as it has it.
public struct Secret: Sendable, Hashable, ExpressibleByStringLiteral {
  private let text: String

  /// Makes a secret of a text.
  public init(_ text: String) { self.text = text }

  /// Makes a secret of a literal, for tests: a literal in a program is no secret.
  public init(stringLiteral value: String) { text = value }

  /// The value, for the place where it is sent.
  public func reveal() -> String { text }
}

extension Secret: Codable {
  /// Reads a plain string.
  public init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
  }

  /// Writes the value as a plain string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

extension Secret: PrintedByDescription {
  /// `<redacted>`.
  public var description: String { Redaction.marker }
  /// Shows `dump` nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
