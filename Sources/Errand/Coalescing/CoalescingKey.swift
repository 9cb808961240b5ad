import Foundation

struct CoalescingKey: Sendable, Hashable {
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
  private let ignored: Set<String>
  private let body: Data?
  private let identity: Identity?
  private let timeout: Duration
  private let limits: TransferLimits
  private let substitute: ObjectIdentifier?

  /// Creates a key.
  ///
  /// Returns `nil` if the policy, the method, the body, the trailers or the transport rules out sharing.
  init?(
    _ http: HTTPRequest, identity: Identity?, policy: CoalescingPolicy, timeout: Duration,
    limits: TransferLimits,
    substitute: (any Transport)?
  ) {
    guard let ignored = policy.ignored, [.get, .head, .options].contains(http.method) else { return nil }
    guard http.trailers.isEmpty, http.body.isEmpty || http.body.data != nil else { return nil }
    if let substitute {
      // A transport of a value type has no identity to compare.
      guard type(of: substitute) is AnyClass else { return nil }
      self.substitute = ObjectIdentifier(substitute as AnyObject)
    } else {
      self.substitute = nil
    }
    self.ignored = ignored
    method = http.method
    url = http.location.text
    body = http.body.data
    self.identity = identity
    (self.timeout, self.limits) = (timeout, limits)
    let counted = http.headers.fields.lazy.map { Header(name: $0.name.lowercased(), value: $0.value) }
      .filter { policy.counts($0.name) }
    // The order of fields of the same name may matter to the server.
    headers = counted.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
      .map(\.element)
  }
}
