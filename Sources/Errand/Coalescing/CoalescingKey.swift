import Foundation

/// What two requests must have in common to share a transfer.
struct CoalescingKey: Sendable, Hashable {
  /// Whose credentials an authenticator put in, as it told; another type may mean another by the same name.
  struct Identity: Sendable, Hashable {
    let authenticator: ObjectIdentifier
    let name: String
  }

  private struct Header: Hashable {
    let name: String
    let value: String
  }

  private let method: HTTPMethod
  private let url: String
  private let headers: [Header]
  /// The names that do not count: a request that counts them all shares with none that does not.
  private let ignored: Set<String>
  private let body: Data?
  private let identity: Identity?
  private let timeout: Duration
  private let limits: TransferLimits
  private let substitute: ObjectIdentifier?

  /// The key of a request; `nil` of one that is never shared.
  ///
  /// - Parameters:
  ///   - http: as it is sent; or, where its authenticator told whose credentials they are, as it was before.
  ///   - identity: what the authenticator told.
  ///   - substitute: answers in place of the agent's transport; `nil` for that.
  init?(
    _ http: HTTPRequest, identity: Identity?, policy: CoalescingPolicy, timeout: Duration,
    limits: TransferLimits,
    substitute: (any Transport)?
  ) {
    guard let ignored = policy.ignored, [.get, .head, .options].contains(http.method) else { return nil }
    guard http.trailers.isEmpty, http.body.isEmpty || http.body.data != nil else { return nil }
    if let substitute {
      // A value has no identity, so that two of them may differ.
      guard type(of: substitute) is AnyClass else { return nil }
      self.substitute = ObjectIdentifier(substitute as AnyObject)
    } else {
      self.substitute = nil
    }
    self.ignored = ignored
    method = http.method
    url = http.url.absoluteString
    body = http.body.data
    self.identity = identity
    (self.timeout, self.limits) = (timeout, limits)
    let counted = http.headers.fields.lazy.map { Header(name: $0.name.lowercased(), value: $0.value) }
      .filter { policy.counts($0.name) }
    // Those of one name keep their order, which may matter.
    headers = counted.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
      .map(\.element)
  }
}
