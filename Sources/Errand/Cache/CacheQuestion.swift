import Foundation

/// The question of one request to the cache: where responses are stored, and what the cache may do with them.
struct CacheQuestion: Sendable {
  /// The request as it is sent when the cache does not answer.
  let http: HTTPRequest
  /// Where answers to the request are stored.
  let key: CacheKey
  /// What the cache may do with stored answers, judged when the question was asked.
  let rules: CacheRules
  /// As whom the transport showed itself when the question was asked.
  let client: ShownClient

  /// Creates the question of a request; `nil` if responses to the request have no key.
  ///
  /// - Parameters:
  ///   - http: the request as it is sent.
  ///   - identified: the request that was sent last, if its authenticator told whose credentials it used.
  ///   - partition: the partition of the request's credentials.
  ///   - now: when the question is asked.
  init?(
    _ http: HTTPRequest, identified: IdentifiedRequest?, policy: CachePolicy, partition: String,
    client: ShownClient, now: Date
  ) {
    guard let key = CacheKey(http, policy: policy, partition: partition) else { return nil }
    // The fields of an authenticator that told its identity tell no responses apart: the key does.
    let identified = identified.flatMap { $0.identity == nil ? nil : $0 }
    (self.http, self.key, self.client) = (http, key, client)
    rules = CacheRules(identified?.unsigned ?? http, policy: policy, now: now)
  }
}

/// As whom the transport showed itself to the server of a URL.
struct ShownClient: Sendable {
  private let url: URL
  let identity: String?

  init(_ url: URL, by transport: any Transport) {
    (self.url, identity) = (url, transport.clientIdentity(for: url))
  }

  /// Returns true if the transport still shows itself to the server in the same way.
  func isShown(by transport: any Transport) -> Bool { transport.clientIdentity(for: url) == identity }

  /// Why a response is not kept that came after the client changed, as a clause.
  static let problem = "the transport shows itself to the server as another client by now"
}

/// When a question was sent to the server, and the permission to store the response.
struct QuestionStart: Sendable {
  let date: Date
  let ticket: CacheTicket
}
