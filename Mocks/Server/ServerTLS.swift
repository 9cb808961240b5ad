public import Errand
import Foundation

/// How a ``MockServer`` speaks TLS: by certificates of an authority of its own, which is made with it and trusted by nobody.
///
///     let server = try MockServer(tls: .on)
///     let agent = RequestAgent(
///       baseURL: server.baseURL, transport: CurlTransport(certificateAuthorities: server.authority))
///
/// The keys are of the curve P-256. OpenSSL does the work: `libssl.so.3` and `libcrypto.so.3`, or those of 1.1, which libcurl
/// brings along on Linux, and which are loaded at first use. Elsewhere a server with TLS is an error of kind
/// ``/Errand/RequestError/Kind/unsupported``.
public struct ServerTLS: Sendable {
  /// What the server shows for its certificate.
  public enum Certificate: Sendable, Hashable {
    /// One for `localhost`, the hosts below it, `127.0.0.1` and `::1`, from an hour ago until in thirty days.
    case valid
    /// The same, but it ended yesterday.
    case expired
    /// The same, but it begins tomorrow.
    case notYetValid
    /// One that is good, but for this host alone: letters, digits, `-`, `.` and `*`.
    case forHost(String)
    /// One that is good, but of another authority than ``MockServer/authority``.
    case ofUnknownAuthority
  }

  /// Whether clients have to show who they are, by a certificate of the server's authority.
  public enum ClientCertificates: Sendable, Hashable {
    /// Nobody is asked.
    case ignored
    /// Clients are asked, and served without one too; one of another authority ends the handshake.
    case requested
    /// Clients without one are refused.
    case required
  }

  /// What the server shows; a good certificate by default.
  public var certificate: Certificate
  /// Whether clients are asked for a certificate; they are not by default.
  ///
  /// ``MockServer/clientCertificate(named:)`` makes them.
  public var clientCertificates: ClientCertificates
  /// The versions that may be agreed on; all by default.
  public var versions: ClosedRange<TLSSettings.Version>
  /// The authority of another server; `nil` makes one.
  var authority: (any ServerIdentity)?

  /// Makes settings; by default all is as it should be.
  public init(
    certificate: Certificate = .valid, clientCertificates: ClientCertificates = .ignored,
    versions: ClosedRange<TLSSettings.Version> = .tls12...TLSSettings.Version.tls13
  ) {
    self.certificate = certificate
    self.clientCertificates = clientCertificates
    self.versions = versions
  }

  /// TLS as it should be.
  public static let on = ServerTLS()

  /// TLS that differs from what it should be: `.on(certificate: .expired)`, `.on(clientCertificates: .required)`.
  public static func on(
    certificate: Certificate = .valid, clientCertificates: ClientCertificates = .ignored,
    versions: ClosedRange<TLSSettings.Version> = .tls12...TLSSettings.Version.tls13
  ) -> ServerTLS {
    ServerTLS(certificate: certificate, clientCertificates: clientCertificates, versions: versions)
  }

  /// These settings with the authority of another server, so that one transport trusts both; of one without TLS nothing is taken.
  public func sharingAuthority(of server: MockServer) -> ServerTLS {
    var copy = self
    copy.authority = server.identity
    return copy
  }
}

/// What a server of TLS shows, and what makes the ciphers of its connections.
protocol ServerIdentity: Sendable {
  /// The file of the authority's certificate, in PEM form.
  var authority: URL { get }
  /// The hash of the key that the server shows.
  var pin: TLSSettings.PublicKeyPin? { get }
  /// Makes a certificate with its key by the same authority.
  func clientCertificate(named name: String) throws(TransportError) -> TLSSettings.ClientCertificate
  /// Makes another server's identity by the same authority.
  func sibling(_ settings: ServerTLS) throws(TransportError) -> any ServerIdentity
  /// Makes what encrypts one connection; `nil` when memory is short.
  func makeCipher() -> (any ConnectionCipher)?
}

/// Encrypts one connection; used by one thread.
protocol ConnectionCipher: AnyObject {
  /// What was agreed on; `nil` until the handshake is over.
  var details: ReceivedRequest.TLS? { get }
  var state: CipherState { get }
  /// Whether ``sayEnd()`` was called.
  var hasSaidEnd: Bool { get }

  /// Takes what came from the socket, and gives what it says.
  func open(_ bytes: ArraySlice<UInt8>) -> [UInt8]
  /// Encrypts what is to be sent; it is among the next output.
  func seal(_ bytes: Data)
  /// Says that nothing more comes (RFC 8446 section 6.1); once, and not after a failure.
  func sayEnd()
  /// What is to be written to the socket.
  func takeOutput() -> Data
}

extension ConnectionCipher {
  var hasFailed: Bool { if case .failed = state { true } else { false } }
}

/// How far the cipher of a connection is.
enum CipherState: Sendable, Hashable {
  case open
  /// The client said that nothing more comes.
  case ended
  /// Why nothing more can be read or written.
  case failed(String)
}

extension ReceivedRequest {
  /// What TLS agreed on, over the connection that a request came by.
  public struct TLS: Sendable, Hashable {
    /// The version.
    public let version: TLSSettings.Version
    /// Whose certificate the client showed, such as `CN=Ada`, in the form of RFC 4514; `nil` when it showed none.
    public let clientSubject: String?
    /// The host that the client asked for (RFC 6066 section 3); `nil` for an address.
    public let serverName: String?
  }
}
