import Foundation

/// A user name and a password (RFC 7617).
///
/// Use https, because an unencrypted connection reveals the credentials.
public struct BasicCredentials: Sendable, Hashable {
  /// The user name, without a colon.
  public let username: String
  /// The password; may be empty.
  public let password: String

  /// Creates credentials.
  ///
  /// Returns `nil` if the name contains a colon, or if the name or the password contains a control character
  /// (RFC 7617 section 2).
  public init?(username: String, password: String) {
    guard !username.utf8.contains(0x3A) else { return nil }
    for scalar in (username + password).unicodeScalars where scalar.properties.generalCategory == .control {
      return nil
    }
    self.username = username
    self.password = password
  }

  /// The value of an `Authorization` header.
  public var headerValue: String {
    "Basic " + Data("\(username):\(password)".utf8).base64EncodedString()
  }
}

extension BasicCredentials: PrintedByDescription {
  /// `Basic credentials (hidden)`.
  public var description: String { "Basic credentials (hidden)" }
  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPHeaders {
  /// Returns headers with an `Authorization` field (RFC 7617).
  ///
  /// ```swift
  /// var headers: HTTPHeaders { .basic(credentials) }
  /// ```
  public static func basic(_ credentials: BasicCredentials) -> HTTPHeaders {
    ["Authorization": credentials.headerValue]
  }

  /// Sets the `Authorization` field; `nil` removes the field.
  public mutating func setBasicCredentials(_ credentials: BasicCredentials?) {
    self["Authorization"] = credentials?.headerValue
  }
}
