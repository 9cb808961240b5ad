/// The transport of an agent that was given none.
package enum DefaultTransport {
  /// Makes the platform's transport.
  package static func make() -> any Transport {
    #if os(Linux)
    CurlTransport()
    #else
    MissingTransport()
    #endif
  }
}

#if !os(Linux)
/// Fails each request with advice, where there is no transport yet.
private struct MissingTransport: Transport {
  var capabilities: TransportCapabilities { TransportCapabilities() }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    throw TransportError(
      .unsupported, "this platform has no default transport yet: give RequestAgent a transport")
  }
}
#endif
