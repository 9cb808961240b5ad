enum RetryableStatuses {
  /// Request Timeout, Too Early and Too Many Requests.
  static let ofRequest: Set<Int> = [408, 425, 429]
  /// Server errors that a stale stored response may replace (RFC 5861 section 4).
  static let ofServer: Set<Int> = [500, 502, 503, 504]
  /// The statuses of `ofServer`, and the unregistered 529 (overloaded).
  static let ofOverload = ofServer.union([529])
  /// Timeouts between a proxy and the server.
  static let ofProxyWait: Set<Int> = [522, 524, 598, 599]
  /// Other failures between a proxy and the server.
  static let ofProxyConnection: Set<Int> = [520, 521, 523, 527, 530]

  static let all = ofRequest.union(ofOverload).union(ofProxyWait).union(ofProxyConnection)
}
