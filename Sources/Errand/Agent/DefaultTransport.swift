/// The transport of an agent created without a transport.
package enum DefaultTransport {
  package static func make() -> any Transport {
    #if os(Linux)
    CurlTransport()
    #else
    URLSessionTransport()
    #endif
  }
}
