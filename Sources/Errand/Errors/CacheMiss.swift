extension RequestError {
  /// The reason why the cache could not answer a request with ``CachePolicy/cacheOnly``:
  /// ``RequestError/cacheMiss``.
  public enum CacheMiss: String, Sendable, Hashable, Codable {
    /// No response is stored for the URL and the credentials.
    ///
    /// An unreadable entry counts as missing.
    case nothingStored
    /// The stored response is older than the fixed lifetime of the policy.
    case expired
    /// The stored response has a different version than the policy.
    case otherVersion
    /// The stored response has a different scope than the policy.
    case otherScope
    /// Either the stored response or the policy has a fixed lifetime, but not both.
    case otherLifetime
    /// The stored response belongs to different values of the request fields named in `Vary`.
    case otherFields
    /// Only a part of the response is stored, and some of the requested bytes are missing.
    case part
    /// The time of the stored response is in the future, because the clock was set back.
    case clockWentBack
    /// The request has its own conditions, such as `If-Match`, and only the server can evaluate the
    /// conditions.
    case ownConditions
    /// The cache does not answer downloads, or methods other than `GET`, `HEAD` and
    /// ``CachePolicy/alsoCaching(_:)``.
    case notAnswered
  }
}

extension RequestError {
  /// The reason for an error of kind ``Kind/notCached``; `nil` for all other errors.
  public var cacheMiss: RequestError.CacheMiss? { cause(as: TransportError.self)?.cacheMiss }
}

extension TransportError {
  /// Returns the error of a request limited to the cache when the cache has no usable response.
  static func uncached(_ miss: RequestError.CacheMiss, because reason: String) -> TransportError {
    var error = TransportError(
      .notCached, "the cache has no answer, and the cache policy sends no request: \(reason)")
    error.cacheMiss = miss
    return error
  }
}
