public import Foundation

/// The account of one redirect that was followed.
public struct RedirectReport: Sendable, Hashable {
  /// The URL that answered with it, as it was sent.
  public var from: URL
  /// The status: 301, 302, 303, 307 or 308.
  public var status: HTTPStatus
  /// Where it led, before `filterRequest` saw it.
  public var to: URL
  /// The method it was followed with.
  public var method: HTTPMethod
}
