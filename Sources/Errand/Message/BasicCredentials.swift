import Foundation

/// A user name and a password for the `Basic` scheme (RFC 7617).
///
/// Use https, because an unencrypted connection reveals the credentials. Printing hides the credentials.
public struct BasicCredentials: Sendable, Hashable {
  /// The user name, without a colon.
  public let username: String
  /// The password; may be empty.
  public let password: String

  /// Creates credentials; `nil` for invalid texts (RFC 7617 section 2).
  ///
  /// The user name must not contain a colon. Neither text may contain a control character.
  public init?(username: String, password: String) {
    guard !username.utf8.contains(0x3A) else { return nil }
    for scalar in (username + password).unicodeScalars where scalar.properties.generalCategory == .control {
      return nil
    }
    self.username = username
    self.password = password
  }

  /// The value of an `Authorization` header: `Basic` and the Base64 of `username:password` in UTF-8.
  public var headerValue: String {
    "Basic " + Data("\(username):\(password)".utf8).base64EncodedString()
  }
}

extension BasicCredentials: PrintedByDescription {
  /// The fixed text `Basic credentials (hidden)`.
  public var description: String { "Basic credentials (hidden)" }
  /// A mirror without children, so `dump` shows no secret.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPHeaders {
  /// Returns headers with a single field, an `Authorization` of the `Basic` scheme (RFC 7617).
  ///
  /// ```swift
  /// var headers: HTTPHeaders { .basic(credentials) }
  /// ```
  public static func basic(_ credentials: BasicCredentials) -> HTTPHeaders {
    ["Authorization": credentials.headerValue]
  }

  /// Replaces the `Authorization` fields by `Basic` credentials (RFC 7617); `nil` removes the fields.
  public mutating func setBasicCredentials(_ credentials: BasicCredentials?) {
    self["Authorization"] = credentials?.headerValue
  }
}
