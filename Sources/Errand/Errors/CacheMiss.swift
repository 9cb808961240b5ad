extension RequestError {
  /// The reason for the kind ``RequestError/Kind/notCached``.
  public enum CacheMiss: String, Sendable, Hashable, Codable {
    /// No readable response is stored.
    case nothingStored
    /// The fixed lifetime has passed.
    case expired
    /// The stored version differs from the version in the policy.
    case otherVersion
    /// The stored scope differs from the scope in the policy.
    case otherScope
    /// One of the policy and the stored response has a fixed lifetime.
    case otherLifetime
    /// The request fields named in `Vary` differ.
    case otherFields
    /// The requested bytes cannot be taken from the stored response.
    case part
    /// The stored response has a future time, by the agent's clock.
    case clockWentBack
    /// The server must evaluate conditions of the request, such as `If-Match`.
    case ownConditions
    /// The cache does not handle the request, such as a download or a `DELETE`.
    case notAnswered
  }
}

extension RequestError {
  /// The reason why the cache had no usable response, if known.
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
