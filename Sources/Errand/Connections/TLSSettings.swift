public import Foundation

/// Settings for TLS, in addition to the checks of chain, dates and host name.
public struct TLSSettings: Sendable, Hashable {
  /// A PEM file that replaces the system's authorities; `nil`, the default: the system's authorities.
  public var certificateAuthorities: URL?
  /// The allowed public keys of servers by host, such as `api.example.com`, or `*.example.com` for all
  /// subdomains.
  ///
  /// If no pin of the host matches, the request fails with ``RequestError/Kind/secureConnectionFailed``. List
  /// a backup key too (RFC 7469 section 4.3).
  public var pins: [String: Set<TLSSettings.PublicKeyPin>] = [:]
  /// The client certificates by host, as in ``pins``.
  public var clientCertificates: [String: TLSSettings.ClientCertificate] = [:]
  /// The oldest version for connections to servers; TLS 1.2 by default (RFC 9325 section 3.1.1).
  public var minimumVersion: TLSSettings.Version = .tls12

  /// Creates the default settings.
  public init() {}
}

extension TLSSettings: PrintedByDescription {
  /// A summary without keys and passphrases.
  public var description: String {
    var clauses = ["\(minimumVersion) or newer"]
    if let certificateAuthorities {
      clauses.append("authorities of \(certificateAuthorities.lastPathComponent)")
    }
    if !pins.isEmpty { clauses.append("pins for \(pins.keys.sorted().joined(separator: ", "))") }
    if !clientCertificates.isEmpty {
      clauses.append("client certificates for \(clientCertificates.keys.sorted().joined(separator: ", "))")
    }
    return clauses.joined(separator: "; ")
  }
}

extension TLSSettings {
  /// A version of TLS.
  public enum Version: Sendable, Hashable, CaseIterable, Comparable, CustomStringConvertible {
    /// RFC 5246.
    case tls12
    /// RFC 8446.
    case tls13

    /// `TLS 1.2` or `TLS 1.3`.
    public var description: String { self == .tls12 ? "TLS 1.2" : "TLS 1.3" }
  }
}

extension TLSSettings {
  /// The SHA-256 of a certificate's SubjectPublicKeyInfo (RFC 7469 section 2.4).
  ///
  /// Print the pin of a server's certificate with `openssl x509 -in server.pem -pubkey -noout | openssl pkey
  /// -pubin -outform der | openssl dgst -sha256 -binary | base64`.
  public struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
    /// The 32 bytes of the hash.
    public let sha256: Data

    /// Creates a pin from the Base64 of 32 bytes, with an optional prefix `sha256/` or `sha256//`.
    ///
    /// Ignores surrounding white space. Returns `nil` for any other text.
    public init?(_ text: String) {
      let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
      let hashes = ["sha256//", "sha256/", ""].lazy.filter { text.hasPrefix($0) }.compactMap {
        Data(base64Encoded: String(text.dropFirst($0.count)))
      }
      guard let hash = hashes.first(where: { $0.count == 32 }) else { return nil }
      sha256 = hash
    }

    /// `sha256//` and Base64, as in curl.
    public var description: String { "sha256//\(sha256.base64EncodedString())" }
  }
}

extension TLSSettings {
  /// A certificate with its private key, for client authentication (RFC 8446 section 4.4.2).
  public struct ClientCertificate: Sendable, Hashable {
    enum Form: Hashable {
      case pem(certificate: URL, key: URL)
      case pkcs12(URL)
    }

    let form: Form
    let passphrase: Secret?

    /// Creates a client certificate from PEM files.
    ///
    /// - Parameters:
    ///   - file: the file with the certificate and its chain.
    ///   - key: the file with the private key; `nil`, the default: `file`.
    ///   - passphrase: the passphrase of an encrypted key; `nil`: none.
    public static func pem(_ file: URL, key: URL? = nil, passphrase: Secret? = nil)
      -> TLSSettings.ClientCertificate
    {
      TLSSettings.ClientCertificate(form: .pem(certificate: file, key: key ?? file), passphrase: passphrase)
    }

    /// Creates a client certificate from a PKCS #12 file (RFC 7292).
    public static func pkcs12(_ file: URL, passphrase: Secret? = nil) -> TLSSettings.ClientCertificate {
      TLSSettings.ClientCertificate(form: .pkcs12(file), passphrase: passphrase)
    }

    var files: [URL] {
      switch form {
      case .pem(let certificate, let key): [certificate, key]
      case .pkcs12(let file): [file]
      }
    }
  }
}

extension TLSSettings.ClientCertificate: PrintedByDescription {
  /// A text such as `client certificate of client.pem`.
  public var description: String { "client certificate of \(files[0].lastPathComponent)" }
}
