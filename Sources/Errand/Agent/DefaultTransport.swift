/// The transport of the platform, for agents and mocks created without a transport.
package enum DefaultTransport {
  package static func make() -> any Transport {
    #if os(Linux)
    CurlTransport()
    #else
    URLSessionTransport()
    #endif
  }
}
