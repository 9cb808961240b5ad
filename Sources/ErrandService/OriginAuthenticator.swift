public import Errand
public import Foundation

/// Separate credentials for several origins, such as the bases of a ``Failover``.
///
/// ```swift
/// configuration.authenticator = OriginAuthenticator([
///   east: APIKeyAuthenticator(eastKey, header: "X-API-Key"),
///   west: APIKeyAuthenticator(westKey, header: "X-API-Key"),
/// ])
/// ```
///
/// A request to a trusted origin without an authenticator is not signed.
public struct OriginAuthenticator: Authenticator {
  private let authenticators: [Origin: any Authenticator]

  /// Creates an authenticator from the authenticators of the origins of URLs.
  ///
  /// Of two URLs with the same origin, the URL that sorts first as text counts.
  public init(_ authenticators: [URL: any Authenticator]) {
    let sorted = authenticators.sorted { $0.key.absoluteString < $1.key.absoluteString }
    self.authenticators = Dictionary(
      sorted.compactMap { url, authenticator in Origin(url).map { ($0, authenticator) } },
      uniquingKeysWith: { first, _ in first })
  }

  private func authenticator(for url: URL?) -> (any Authenticator)? {
    url.flatMap { Origin($0) }.flatMap { authenticators[$0] }
  }

  /// Calls the authenticator of the request's origin.
  public func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
    try await authenticator(for: request.url)?.authenticate(&request, context: context)
  }

  /// Calls the authenticator of the response's origin.
  public func isRefusal(_ head: HTTPResponse, context: Authentication.Context) async -> Bool {
    guard let inner = authenticator(for: head.url) else { return false }
    return await inner.isRefusal(head, context: context) && mayRenew(by: inner, in: context)
  }

  /// Calls the authenticator of the origin of the failed request.
  public func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool {
    guard let inner = authenticator(for: failure.request?.url), mayRenew(by: inner, in: context) else {
      return false
    }
    return try await inner.renew(after: failure, context: context)
  }

  private func mayRenew(by inner: any Authenticator, in context: Authentication.Context) -> Bool {
    context.round < max(inner.maximumRounds, 1)
  }

  /// The largest `maximumRounds` of the authenticators.
  ///
  /// Each authenticator keeps its own maximum.
  public var maximumRounds: Int { authenticators.values.map(\.maximumRounds).max() ?? 1 }

  /// Hides the secrets of all authenticators.
  public func hidingSecrets(in redaction: Redaction) -> Redaction {
    authenticators.values.reduce(redaction) { $1.hidingSecrets(in: $0) }
  }
}

extension OriginAuthenticator: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The number of origins.
  public var description: String { "authenticators of \(authenticators.count) origins" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
