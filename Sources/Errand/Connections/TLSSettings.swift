public import Foundation

/// What TLS has to be like, besides what the system asks for.
///
/// Certificates are always judged: their chain, their dates and the name of the host. Pins are asked for in addition.
public struct TLSSettings: Sendable, Hashable {
  /// A file of certificates in PEM form that are trusted instead of the system's authorities; `nil`, the default, trusts the
  /// system's.
  public var certificateAuthorities: URL?
  /// The public keys a server may have, by host: `api.example.com`, or `*.example.com` for all hosts below it.
  ///
  /// The key of the server's own certificate is compared, on each new connection; with none of those listed the request fails
  /// with ``RequestError/Kind/secureConnectionFailed`` before anything is sent. Give at least two: the one in use, and one kept
  /// elsewhere for the day on which it has to be replaced (RFC 7469 section 4.3). The name of the host counts before a pattern.
  public var pins: [String: Set<TLSSettings.PublicKeyPin>] = [:]
  /// What is shown to a server that asks who its client is, by host as with ``pins``; others are shown nothing.
  public var clientCertificates: [String: TLSSettings.ClientCertificate] = [:]
  /// The oldest version that is agreed on; TLS 1.2 by default (RFC 8996, RFC 9325 section 3.1.1).
  public var minimumVersion: TLSSettings.Version = .tls12

  /// Makes the defaults.
  public init() {}
}

extension TLSSettings: PrintedByDescription {
  /// What it asks for, without keys and passphrases.
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
  /// A version of TLS that may be agreed on; the older ones are never (RFC 8996).
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
  /// The SHA-256 of a public key, in the form of its certificate (RFC 7469 section 2.4).
  ///
  /// Of the certificate of a server, `openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der | openssl
  /// dgst -sha256 -binary | base64` prints it.
  public struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
    /// The 32 bytes of the hash.
    public let sha256: Data

    /// Makes a pin of the Base64 of a hash, with or without `sha256/` or `sha256//` before it and blanks around; `nil` where that is
    /// not 32 bytes.
    public init?(_ text: String) {
      let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
      let mark = ["sha256//", "sha256/"].first { text.hasPrefix($0) } ?? ""
      guard let hash = Data(base64Encoded: String(text.dropFirst(mark.count))), hash.count == 32 else {
        return nil
      }
      sha256 = hash
    }

    /// As curl writes it: `sha256//` and Base64.
    public var description: String { "sha256//\(sha256.base64EncodedString())" }
  }
}

extension TLSSettings {
  /// A certificate with its private key, by which a server knows its client (RFC 8446 section 4.4.2).
  ///
  /// The files are read with each new connection. Printing hides the passphrase.
  public struct ClientCertificate: Sendable, Hashable {
    enum Form: Hashable {
      case pem(certificate: URL, key: URL)
      case pkcs12(URL)
    }

    let form: Form
    let passphrase: Secret?

    /// A certificate in PEM form, followed by its intermediate ones.
    ///
    /// - Parameters:
    ///   - file: of the certificates.
    ///   - key: the file of the private key; `nil`, the default, where it stands in the same one.
    ///   - passphrase: of an encrypted key; `nil` for none.
    public static func pem(_ file: URL, key: URL? = nil, passphrase: Secret? = nil)
      -> TLSSettings.ClientCertificate
    {
      TLSSettings.ClientCertificate(form: .pem(certificate: file, key: key ?? file), passphrase: passphrase)
    }

    /// Certificate and key in one file of PKCS #12 (RFC 7292).
    public static func pkcs12(_ file: URL, passphrase: Secret? = nil) -> TLSSettings.ClientCertificate {
      TLSSettings.ClientCertificate(form: .pkcs12(file), passphrase: passphrase)
    }

    /// Its files.
    var files: [URL] {
      switch form {
      case .pem(let certificate, let key): [certificate, key]
      case .pkcs12(let file): [file]
      }
    }
  }
}

extension TLSSettings.ClientCertificate: PrintedByDescription {
  /// The name of its file.
  public var description: String { "client certificate of \(files[0].lastPathComponent)" }
}
