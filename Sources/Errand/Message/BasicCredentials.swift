import Foundation

/// A user name and a password for the `Basic` scheme (RFC 7617).
///
/// They are sent with the first request, without a challenge, and can be read on an open connection, so use
/// them over https. Printing hides them.
public struct BasicCredentials: Sendable, Hashable {
  /// The user name; it has no colon.
  public let username: String
  /// The password; it may be empty.
  public let password: String

  /// Makes credentials; `nil` when the user name has a colon, or either has a control character (RFC 7617 section 2).
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
  /// `Basic credentials (hidden)`.
  public var description: String { "Basic credentials (hidden)" }
  /// Shows `dump` nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPHeaders {
  /// Headers with an `Authorization` of the `Basic` scheme (RFC 7617) and nothing else.
  ///
  /// ```swift
  /// var headers: HTTPHeaders { .basic(credentials) }
  /// ```
  public static func basic(_ credentials: BasicCredentials) -> HTTPHeaders {
    ["Authorization": credentials.headerValue]
  }

  /// Replaces every `Authorization` by credentials of the `Basic` scheme (RFC 7617); `nil` removes it.
  public mutating func setBasicCredentials(_ credentials: BasicCredentials?) {
    self["Authorization"] = credentials?.headerValue
  }
}
