/// The status codes after which the same request may succeed later, by who failed.
///
/// Every list of such codes is made of these.
enum RetryableStatuses {
  /// The server took the request for too late, too early or one too many.
  static let ofRequest: Set<Int> = [408, 425, 429]
  /// The server cannot answer now (RFC 5861 section 4).
  static let ofServer: Set<Int> = [500, 502, 503, 504]
  /// The server is overloaded or failing: ``ofServer``, and 529, which has no registration.
  static let ofOverload = ofServer.union([529])
  /// A proxy waited too long for the server behind the proxy.
  static let ofProxyWait: Set<Int> = [522, 524, 598, 599]
  /// A proxy could not reach the server behind the proxy, or got no whole answer.
  static let ofProxyConnection: Set<Int> = [520, 521, 523, 527, 530]

  static let all = ofRequest.union(ofOverload).union(ofProxyWait).union(ofProxyConnection)
}
