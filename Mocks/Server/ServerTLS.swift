public import Errand
import Foundation

/// The TLS settings of a ``MockServer``.
///
/// By default, each server has a new certificate authority; see ``sharingAuthority(of:)``. To trust the
/// server, a client needs the authority's certificate.
///
///     let server = try MockServer(tls: .on)
///     let agent = RequestAgent(
///       baseURL: server.baseURL, transport: CurlTransport(certificateAuthorities: server.authority))
///
/// The server loads OpenSSL 3 (`libssl.so.3` and `libcrypto.so.3`) or OpenSSL 1.1 at first use. On Apple
/// platforms, a server with TLS throws an error of kind ``/Errand/RequestError/Kind/unsupported``.
public struct ServerTLS: Sendable {
  /// The certificate presented by the server.
  public enum Certificate: Sendable, Hashable {
    /// A certificate for `localhost`, `*.localhost`, `127.0.0.1` and `::1`.
    case valid
    /// A certificate for the same hosts, expired yesterday.
    case expired
    /// A certificate for the same hosts, valid from tomorrow.
    case notYetValid
    /// A valid certificate for this host only.
    ///
    /// Allowed characters: letters, digits, `-`, `.` and `*`.
    case forHost(String)
    /// A valid certificate by an authority other than ``MockServer/authority``.
    case ofUnknownAuthority
  }

  /// The server's policy for client certificates.
  public enum ClientCertificates: Sendable, Hashable {
    /// The server requests no client certificate.
    case ignored
    /// The server requests a certificate and also serves clients without a certificate.
    ///
    /// A certificate of a different authority ends the handshake.
    case requested
    /// The server refuses clients without a certificate from the server's authority.
    case required
  }

  /// The certificate of the server; valid by default.
  public var certificate: Certificate
  /// The policy for client certificates; ignored by default.
  ///
  /// ``MockServer/clientCertificate(named:)`` creates client certificates.
  public var clientCertificates: ClientCertificates
  /// The accepted TLS versions; TLS 1.2 and 1.3 by default.
  public var versions: ClosedRange<TLSSettings.Version>
  /// The identity of another server, to share the authority; `nil`: the server creates an authority.
  var authority: (any ServerIdentity)?

  /// Creates settings; by default with a valid certificate.
  public init(
    certificate: Certificate = .valid, clientCertificates: ClientCertificates = .ignored,
    versions: ClosedRange<TLSSettings.Version> = .tls12...TLSSettings.Version.tls13
  ) {
    self.certificate = certificate
    self.clientCertificates = clientCertificates
    self.versions = versions
  }

  /// TLS with a valid certificate and default settings.
  public static let on = ServerTLS()

  /// Returns TLS settings with differences from ``on``, such as `.on(certificate: .expired)`.
  public static func on(
    certificate: Certificate = .valid, clientCertificates: ClientCertificates = .ignored,
    versions: ClosedRange<TLSSettings.Version> = .tls12...TLSSettings.Version.tls13
  ) -> ServerTLS {
    ServerTLS(certificate: certificate, clientCertificates: clientCertificates, versions: versions)
  }

  /// Returns settings with the authority of another server, so a transport can trust both servers.
  ///
  /// If `server` has no TLS, a server with the settings creates an authority.
  public func sharingAuthority(of server: MockServer) -> ServerTLS {
    var copy = self
    copy.authority = server.identity
    return copy
  }
}

/// The certificate of a TLS server and the factory of ciphers for connections.
protocol ServerIdentity: Sendable {
  var authority: URL { get }
  var pin: TLSSettings.PublicKeyPin? { get }
  func clientCertificate(named name: String) throws(TransportError) -> TLSSettings.ClientCertificate
  func sharingAuthority(_ settings: ServerTLS) throws(TransportError) -> any ServerIdentity
  /// Creates the cipher of a connection; `nil` on failure.
  func makeCipher() -> (any ConnectionCipher)?
}

/// The TLS encryption of a connection, used only on the server's thread.
protocol ConnectionCipher: AnyObject {
  var details: ReceivedRequest.TLS? { get }
  var state: CipherState { get }
  var hasSaidEnd: Bool { get }

  /// Decrypts bytes from the socket and returns the plaintext.
  func open(_ bytes: ArraySlice<UInt8>) -> [UInt8]
  /// Encrypts plaintext; ``takeOutput()`` then returns the ciphertext.
  func seal(_ bytes: Data)
  /// Adds a `close_notify` alert (RFC 8446 section 6.1) to the output.
  ///
  /// Has an effect only on the first call, after the handshake and before a failure.
  func sendCloseNotify()
  func takeOutput() -> Data
}

extension ConnectionCipher {
  var hasFailed: Bool { if case .failed = state { true } else { false } }
}

enum CipherState: Sendable, Hashable {
  case open
  /// The client sent `close_notify`.
  case ended
  case failed(String)
}

extension ReceivedRequest {
  /// The TLS parameters of a request's connection.
  public struct TLS: Sendable, Hashable {
    /// The negotiated version.
    public let version: TLSSettings.Version
    /// The subject of the client's certificate, such as `CN=Ada` (RFC 4514); `nil` without a certificate.
    public let clientSubject: String?
    /// The host in the client's server name extension (RFC 6066 section 3); `nil` without a host.
    public let serverName: String?
  }
}
