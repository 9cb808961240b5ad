#if canImport(Darwin)
import Errand

extension ServerTLS {
  func makeIdentity() throws(TransportError) -> any ServerIdentity {
    if let authority { return try authority.sharingAuthority(self) }
    throw TransportError(
      .unsupported,
      "MockServer(tls:) is available only on Linux, because the server needs OpenSSL")
  }
}
#endif
