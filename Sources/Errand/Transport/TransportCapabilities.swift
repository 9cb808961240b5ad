/// What a transport can do.
///
/// What is asked of one that cannot is an early error, never ignored.
public struct TransportCapabilities: Sendable, Hashable {
  /// The content codings it decodes, sent as `Accept-Encoding` unless the headers have one (RFC 9110 section
  /// 12.5.3).
  ///
  /// Empty by default.
  public var contentCodings: [String] {
    didSet { acceptEncoding = Self.acceptEncoding(contentCodings) }
  }
  /// The codings as the header says them, kept because every request needs them; `nil` when there are none.
  private(set) var acceptEncoding: String?
  /// Whether a ``RequestBody`` may be a stream; otherwise such a request fails with
  /// ``RequestError/Kind/unsupported`` before anything is sent.
  ///
  /// `true` by default.
  public var streamsUploads: Bool
  /// Whether it sends ``HTTPRequest/trailers``; otherwise such a request fails with ``RequestError/Kind/unsupported`` before
  /// anything is sent.
  ///
  /// `false` by default. A transport that does sends a ``TransportRequest/TrailedBody``.
  public var sendsTrailers: Bool
  /// Whether it keeps to ``TransportRequest/networkAccess``; otherwise a request that leaves networks out fails with
  /// ``RequestError/Kind/unsupported`` before anything is sent.
  ///
  /// `false` by default.
  public var choosesNetworks: Bool
  /// Whether it judges the addresses that it connects to, where ``TransportRequest/refusesPrivateAddresses`` says so; otherwise
  /// such a request fails with ``RequestError/Kind/unsupported`` before anything is sent.
  ///
  /// `false` by default.
  public var checksAddresses: Bool
  /// The versions of HTTP it can send a request in, as ``TransportSummary/Metrics/httpVersion`` names them; empty, the default,
  /// when it does not know.
  public var httpVersions: [String]
  /// Whether ``TransportSummary/Metrics/resends`` is counted; `false` by default.
  public var countsResends: Bool
  /// What it is made of, with versions, for reports of bugs; `nil` by default.
  public var implementation: String?

  /// Makes capabilities; by default it streams uploads and claims nothing else.
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
