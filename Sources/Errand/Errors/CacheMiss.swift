extension RequestError {
  /// The reason for ``RequestError/Kind/notCached``.
  public enum CacheMiss: String, Sendable, Hashable, Codable {
    /// No readable response is stored.
    case nothingStored
    /// The fixed lifetime has passed.
    case expired
    /// The stored response has another version than the policy.
    case otherVersion
    /// The stored response has another scope than the policy.
    case otherScope
    /// The policy or the stored response has a fixed lifetime, but not both.
    case otherLifetime
    /// The fields named in `Vary` differ.
    case otherFields
    /// The stored response cannot supply the requested range, or is only a part.
    case part
    /// The stored response has a future time.
    case clockWentBack
    /// The stored response cannot answer the conditions of the request, such as `If-Match`.
    case ownConditions
    /// The cache answers no request of this kind, such as a `POST` or a download.
    case notAnswered
  }
}

extension RequestError {
  /// The reason for a miss of the cache, if known.
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
