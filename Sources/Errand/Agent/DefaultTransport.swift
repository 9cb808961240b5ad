/// The transport of an agent that was given none.
package enum DefaultTransport {
  /// Makes the platform's transport.
  package static func make() -> any Transport {
    #if os(Linux)
    CurlTransport()
    #else
    URLSessionTransport()
    #endif
  }
}
