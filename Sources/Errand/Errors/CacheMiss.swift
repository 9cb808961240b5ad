extension RequestError {
  /// The reason why the cache could not answer a cache-only request: ``RequestError/cacheMiss``.
  public enum CacheMiss: String, Sendable, Hashable, Codable {
    /// Nothing is stored for the URL and the credentials. An unreadable entry counts as missing.
    case nothingStored
    /// The stored response is older than the fixed lifetime of the policy.
    case expired
    /// The stored response has a different version than the policy.
    case otherVersion
    /// The stored response has a different scope than the policy.
    case otherScope
    /// Only the stored response or only the policy has a fixed lifetime.
    case otherLifetime
    /// The stored response belongs to different values of the request fields named in `Vary`.
    case otherFields
    /// Only a part of the response is stored, without the requested bytes.
    case part
    /// The stored response has a time in the future: the clock was set back.
    case clockWentBack
    /// The request has its own conditions, such as `If-None-Match`, and only the server can evaluate conditions.
    case ownConditions
    /// The cache does not answer such requests: methods except GET and HEAD, and downloads.
    case notAnswered
  }
}

extension RequestError {
  /// The reason for an error of kind ``Kind/notCached``; `nil` for all other errors.
  public var cacheMiss: RequestError.CacheMiss? { cause(as: TransportError.self)?.cacheMiss }
}
