import Foundation

struct CacheQuestion: Sendable {
  let http: HTTPRequest
  let key: CacheKey
  let rules: CacheRules
  let client: ShownClient

  init?(
    _ http: HTTPRequest, identified: IdentifiedRequest?, policy: CachePolicy, partition: String,
    client: ShownClient, now: Date
  ) {
    guard let key = CacheKey(http, policy: policy, partition: partition) else { return nil }
    // The reported identity is part of the key, so the authenticator's headers must not select a variant.
    let identified = identified.flatMap { $0.identity == nil ? nil : $0 }
    (self.http, self.key, self.client) = (http, key, client)
    rules = CacheRules(identified?.unsigned ?? http, policy: policy, now: now)
  }
}

/// The identity that the transport presents to a server, such as a client certificate.
struct ShownClient: Sendable {
  private let url: URL
  let identity: String?

  init(_ url: URL, by transport: any Transport) {
    (self.url, identity) = (url, transport.clientIdentity(for: url))
  }

  func isShown(by transport: any Transport) -> Bool { transport.clientIdentity(for: url) == identity }

  static let problem = "the client identity of the transport has changed"
}

struct QuestionStart: Sendable {
  let date: Date
  let ticket: CacheTicket
}
