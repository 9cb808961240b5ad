/// The features of a transport.
///
/// A request that needs a missing feature fails before the transfer starts.
public struct TransportCapabilities: Sendable, Hashable {
  /// The decoded content codings, sent as `Accept-Encoding` unless the request has the field (RFC 9110
  /// section 12.5.3).
  ///
  /// Empty by default.
  public var contentCodings: [String] {
    didSet { acceptEncoding = Self.acceptEncoding(contentCodings) }
  }
  /// The value of `Accept-Encoding`, stored because every request needs the value; `nil` without codings.
  private(set) var acceptEncoding: String?
  /// True if a ``RequestBody`` may be a stream.
  ///
  /// Otherwise a request with a stream fails with ``RequestError/Kind/unsupported`` before it is sent. `true` by
  /// default.
  public var streamsUploads: Bool
  /// True if the transport sends ``HTTPRequest/trailers``, by means of ``TransportRequest/TrailedBody``.
  ///
  /// Otherwise a request with trailers fails with ``RequestError/Kind/unsupported`` before sending. `false` by
  /// default.
  public var sendsTrailers: Bool
  /// True if the transport respects ``TransportRequest/networkAccess``.
  ///
  /// Otherwise a request that excludes networks fails with ``RequestError/Kind/unsupported`` before it is
  /// sent. `false` by default.
  public var choosesNetworks: Bool
  /// True if the transport checks addresses for ``TransportRequest/refusesPrivateAddresses``.
  ///
  /// Otherwise a request that refuses private addresses fails with ``RequestError/Kind/unsupported`` before
  /// sending. `false` by default.
  public var checksAddresses: Bool
  /// The supported HTTP versions, named as in ``TransportSummary/Metrics/httpVersion``.
  ///
  /// Empty, the default, if unknown.
  public var httpVersions: [String]
  /// True if the transport counts ``TransportSummary/Metrics/resends``; `false` by default.
  public var countsResends: Bool
  /// The implementation with its versions, for bug reports; `nil` by default.
  public var implementation: String?

  /// Creates capabilities; by default, streamed uploads are the only feature.
  public init(
    contentCodings: [String] = [], streamsUploads: Bool = true, sendsTrailers: Bool = false,
    choosesNetworks: Bool = false, checksAddresses: Bool = false,
    httpVersions: [String] = [], countsResends: Bool = false, implementation: String? = nil
  ) {
    self.contentCodings = contentCodings
    acceptEncoding = Self.acceptEncoding(contentCodings)
    self.streamsUploads = streamsUploads
    self.sendsTrailers = sendsTrailers
    self.choosesNetworks = choosesNetworks
    self.checksAddresses = checksAddresses
    self.httpVersions = httpVersions
    self.countsResends = countsResends
    self.implementation = implementation
  }

  private static func acceptEncoding(_ codings: [String]) -> String? {
    codings.isEmpty ? nil : codings.joined(separator: ", ")
  }
}
