public import Foundation

/// What is hidden in everything Errand prints.
public struct Redaction: Sendable {
  /// The default.
  public static let standard = Redaction()
  /// Headers.
  public func headers(_ headers: HTTPHeaders) -> HTTPHeaders { headers }
  /// URL.
  public func url(_ url: URL) -> String { url.absoluteString }
  /// Body text.
  public func body(_ body: Data, contentType: String?) -> String { String(decoding: body, as: UTF8.self) }
  /// Free text.
  public func text(_ text: String) -> String { text }
}
