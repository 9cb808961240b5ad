import Foundation

/// A request to the cache: the key of stored responses, and the rules for their use.
struct CacheQuestion: Sendable {
  /// The request that is sent if the cache does not respond.
  let http: HTTPRequest
  /// The key of responses to the request.
  let key: CacheKey
  /// The rules for stored responses, at the time of the question.
  let rules: CacheRules
  /// The client identity of the transport at the time of the question.
  let client: ShownClient

  /// Creates the question of a request; `nil` if responses to the request have no key.
  ///
  /// - Parameters:
  ///   - http: the request as sent.
  ///   - identified: the facts of the signing; `nil`: the authenticator has not signed the request.
  ///   - partition: the partition for the request's credentials.
  ///   - now: the time of the question.
  init?(
    _ http: HTTPRequest, identified: IdentifiedRequest?, policy: CachePolicy, partition: String,
    client: ShownClient, now: Date
  ) {
    guard let key = CacheKey(http, policy: policy, partition: partition) else { return nil }
    // The key already contains the reported identity, so the authenticator's headers must not select
    // variants.
    let identified = identified.flatMap { $0.identity == nil ? nil : $0 }
    (self.http, self.key, self.client) = (http, key, client)
    rules = CacheRules(identified?.unsigned ?? http, policy: policy, now: now)
  }
}

/// The identity that the transport shows to the server of a URL, such as a client certificate.
struct ShownClient: Sendable {
  private let url: URL
  let identity: String?

  init(_ url: URL, by transport: any Transport) {
    (self.url, identity) = (url, transport.clientIdentity(for: url))
  }

  /// Returns true if the transport still shows the same identity to the server.
  func isShown(by transport: any Transport) -> Bool { transport.clientIdentity(for: url) == identity }

  /// The reason for not storing a response received after a change of identity, as a clause.
  static let problem = "the client identity of the transport has changed"
}

/// The time of sending a request to the server, and the permission to store the response.
struct QuestionStart: Sendable {
  let date: Date
  let ticket: CacheTicket
}
