/// The features of a transport.
///
/// A request that needs a missing feature usually fails with ``RequestError/Kind/unsupported`` before its
/// transfer.
public struct TransportCapabilities: Sendable, Hashable {
  /// The content codings that the transport decodes; empty by default.
  ///
  /// Usually sent as `Accept-Encoding` (RFC 9110 section 12.5.3), unless the request has this field or a
  /// `Range`.
  public var contentCodings: [String] {
    didSet { acceptEncoding = Self.acceptEncoding(contentCodings) }
  }
  private(set) var acceptEncoding: String?
  /// True if a ``RequestBody`` may be a stream, for example from a file; `true` by default.
  public var streamsUploads: Bool
  /// True if the transport sends ``HTTPRequest/trailers``; `false` by default.
  public var sendsTrailers: Bool
  /// True if the transport respects ``TransportRequest/networkAccess``; `false` by default.
  public var choosesNetworks: Bool
  /// True if the transport checks addresses for ``DestinationPolicy/refusesPrivateAddresses``; `false` by
  /// default.
  public var checksAddresses: Bool
  /// The HTTP versions, named as in ``TransportSummary/Metrics/httpVersion``; empty, the default, if unknown.
  public var httpVersions: [String]
  /// True if the transport counts ``TransportSummary/Metrics/resends``; `false` by default.
  public var countsResends: Bool
  /// The implementation with its versions, for bug reports; `nil` by default.
  public var implementation: String?

  /// Creates capabilities.
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
