/// The status codes after which the same request may succeed later, grouped by the failing party.
///
/// Every list of retryable status codes in Errand is built from these sets.
enum RetryableStatuses {
  /// Statuses about the request: the request came too late, too early or too often.
  static let ofRequest: Set<Int> = [408, 425, 429]
  /// Statuses of a server that is temporarily unable to respond (RFC 5861 section 4).
  static let ofServer: Set<Int> = [500, 502, 503, 504]
  /// Statuses of an overloaded or failing server: ``ofServer``, and the unregistered 529.
  static let ofOverload = ofServer.union([529])
  /// Statuses of a proxy that waited too long for the server behind the proxy.
  static let ofProxyWait: Set<Int> = [522, 524, 598, 599]
  /// Statuses of a proxy that could not reach the server behind the proxy, or received an incomplete
  /// response.
  static let ofProxyConnection: Set<Int> = [520, 521, 523, 527, 530]

  static let all = ofRequest.union(ofOverload).union(ofProxyWait).union(ofProxyConnection)
}
