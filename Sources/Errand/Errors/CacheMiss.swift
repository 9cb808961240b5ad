extension RequestError {
  /// The reason why the cache has no response for a request restricted to the cache.
  public enum CacheMiss: String, Sendable, Hashable, Codable {
    /// No readable response is stored for the request.
    case nothingStored
    /// The lifetime fixed by the policy has passed.
    case expired
    /// The version of the stored response differs from the version in the policy.
    case otherVersion
    /// The scope of the stored response differs from the scope in the policy.
    case otherScope
    /// The stored response has a fixed lifetime and the policy has none, or vice versa.
    case otherLifetime
    /// The stored response belongs to different values of the request fields named in `Vary`.
    case otherFields
    /// The requested bytes cannot be taken from the stored response, for example from a stored part.
    case part
    /// The stored response with a fixed lifetime has a future time, by the agent's clock.
    case clockWentBack
    /// The server must evaluate the conditions of the request, such as `If-Match`.
    case ownConditions
    /// The cache does not handle the request.
    ///
    /// For example, the request is a download, or the method is `DELETE`.
    case notAnswered
  }
}

extension RequestError {
  /// The reason why the cache had no usable response, also from a nested request error.
  ///
  /// `nil` without a reason, as in a decoded report.
  public var cacheMiss: RequestError.CacheMiss? { cause(as: TransportError.self)?.cacheMiss }
}

extension TransportError {
  static func uncached(_ miss: RequestError.CacheMiss, because reason: String) -> TransportError {
    var error = TransportError(
      .notCached, "the cache has no answer, and the cache policy sends no request: \(reason)")
    error.cacheMiss = miss
    return error
  }
}
