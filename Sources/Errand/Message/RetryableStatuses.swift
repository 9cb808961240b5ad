/// The status codes of failures that may be temporary, grouped by the failing party.
enum RetryableStatuses {
  /// Statuses for a request that came too late, too early or too often.
  static let ofRequest: Set<Int> = [408, 425, 429]
  /// Statuses of a temporarily failing server (RFC 5861 section 4).
  static let ofServer: Set<Int> = [500, 502, 503, 504]
  /// Statuses of an overloaded or failing server: ``ofServer``, and the unregistered 529.
  static let ofOverload = ofServer.union([529])
  /// Statuses of a proxy for a timeout of the server behind the proxy.
  static let ofProxyWait: Set<Int> = [522, 524, 598, 599]
  /// Statuses of a proxy for other failures of the server behind the proxy.
  static let ofProxyConnection: Set<Int> = [520, 521, 523, 527, 530]

  static let all = ofRequest.union(ofOverload).union(ofProxyWait).union(ofProxyConnection)
}
