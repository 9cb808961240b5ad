extension RequestError {
  /// Why a cache that alone was to answer has no answer: ``RequestError/cacheMiss``.
  public enum CacheMiss: String, Sendable, Hashable, Codable {
    /// Nothing is stored for the URL and the credentials. An entry that cannot be read counts as none.
    case nothingStored
    /// The stored response is older than the fixed time of the policy.
    case expired
    /// The stored response is of another version than the policy.
    case otherVersion
    /// The stored response is of another scope than the policy.
    case otherScope
    /// The stored response is kept for a fixed time and the policy has none, or the policy has one and the response is not kept for it.
    case otherLifetime
    /// The stored response is for other values of the request fields that `Vary` names.
    case otherFields
    /// A part of the response is stored, which does not have what is asked for.
    case part
    /// The stored response is of the future: the clock was set back.
    case clockWentBack
    /// The request has conditions of its own, such as `If-None-Match`, which the server has to judge.
    case ownConditions
    /// The cache answers no such request: another method, or a download.
    case notAnswered
  }
}

extension RequestError {
  /// Why the cache had no answer, of the kind ``Kind/notCached``; `nil` for any other error.
  public var cacheMiss: RequestError.CacheMiss? { cause(as: TransportError.self)?.cacheMiss }
}
