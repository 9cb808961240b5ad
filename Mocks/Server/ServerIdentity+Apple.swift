#if canImport(Darwin)
import Errand

extension ServerTLS {
  /// Throws, as only OpenSSL does it, which Apple platforms do not have.
  func makeIdentity() throws(TransportError) -> any ServerIdentity {
    if let authority { return try authority.sibling(self) }
    throw TransportError(
      .unsupported,
      "MockServer(tls:) is there on Linux only: it needs OpenSSL, which this platform does not have")
  }
}
#endif
