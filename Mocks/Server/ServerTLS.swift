public import Errand
import Foundation

/// The TLS settings of a ``MockServer``.
///
///     let server = try MockServer(tls: .on)
///     let agent = RequestAgent(
///       baseURL: server.baseURL, transport: CurlTransport(certificateAuthorities: server.authority))
///
/// Requires Linux with OpenSSL 3 or 1.1. Elsewhere, `MockServer(tls:)` throws an error of kind
/// ``/Errand/RequestError/Kind/unsupported``.
public struct ServerTLS: Sendable {
  /// The certificate presented by the server.
  public enum Certificate: Sendable, Hashable {
    /// A valid certificate for `localhost`, `*.localhost`, `127.0.0.1` and `::1`.
    case valid
    /// A certificate like `valid`, but expired a day ago.
    case expired
    /// A certificate like `valid`, but valid only from tomorrow.
    case notYetValid
    /// A valid certificate for a host name of one or more ASCII letters, digits, `-`, `.` and `*`.
    case forHost(String)
    /// A certificate like `valid`, but signed by an authority that is not in ``MockServer/authority``.
    case ofUnknownAuthority
  }

  /// The server's policy for client certificates.
  public enum ClientCertificates: Sendable, Hashable {
    /// The server requests no client certificate.
    case ignored
    /// The server requests a certificate, and also serves clients without a certificate.
    ///
    /// If the client sends a certificate, the server's authority must have signed the certificate.
    case requested
    /// The server refuses clients without a certificate signed by the server's authority.
    case required
  }

  /// The certificate of the server; `.valid` by default.
  public var certificate: Certificate
  /// The policy for client certificates; `.ignored` by default.
  public var clientCertificates: ClientCertificates
  /// The accepted TLS versions; TLS 1.2 and 1.3 by default.
  public var versions: ClosedRange<TLSSettings.Version>
  /// The identity of another server, to share the authority; `nil`: a new authority.
  var authority: (any ServerIdentity)?

  /// Creates settings.
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

  /// Returns settings with the given values, such as `.on(certificate: .expired)`.
  public static func on(
    certificate: Certificate = .valid, clientCertificates: ClientCertificates = .ignored,
    versions: ClosedRange<TLSSettings.Version> = .tls12...TLSSettings.Version.tls13
  ) -> ServerTLS {
    ServerTLS(certificate: certificate, clientCertificates: clientCertificates, versions: versions)
  }

  /// Returns these settings with another TLS server's authority, so a transport can trust both servers.
  public func sharingAuthority(of server: MockServer) -> ServerTLS {
    var copy = self
    copy.authority = server.identity
    return copy
  }
}

protocol ServerIdentity: Sendable {
  var authority: URL { get }
  var pin: TLSSettings.PublicKeyPin? { get }
  func clientCertificate(named name: String) throws(TransportError) -> TLSSettings.ClientCertificate
  func sharingAuthority(_ settings: ServerTLS) throws(TransportError) -> any ServerIdentity
  func makeCipher() -> (any ConnectionCipher)?
}

/// The TLS encryption of a connection; used only on the server's thread.
protocol ConnectionCipher: AnyObject {
  var details: ReceivedRequest.TLS? { get }
  var state: CipherState { get }
  var hasSaidEnd: Bool { get }

  func open(_ bytes: ArraySlice<UInt8>) -> [UInt8]
  /// Encrypts bytes, in the state `open` only; ``takeOutput()`` returns the ciphertext.
  func seal(_ bytes: Data)
  /// Adds a `close_notify` alert (RFC 8446 section 6.1) to the output.
  ///
  /// Adds no alert at a second call, before the end of the handshake, or after a failure.
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
    /// The subject of the client's certificate, such as `CN=Ada` (RFC 4514), if any.
    public let clientSubject: String?
    /// The host in the client's server name extension (RFC 6066 section 3), if any.
    public let serverName: String?
  }
}
