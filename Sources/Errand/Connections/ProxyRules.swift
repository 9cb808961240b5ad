import Foundation

extension Proxy {
  /// The proxies by URL scheme, with exceptions.
  public struct Rules: Sendable, Hashable {
    /// The proxy for http URLs; `nil`: none, unless the rules are `environment`.
    public var http: Proxy? { didSet { isEnvironment = false } }
    /// The proxy for https URLs; `nil`: none, unless the rules are `environment`.
    public var https: Proxy? { didSet { isEnvironment = false } }
    /// Hosts without a proxy, in the form of ``DestinationPolicy/hosts``.
    public var exceptions: [String] { didSet { isEnvironment = false } }
    private(set) var isEnvironment: Bool

    /// No proxy, even if the environment names proxies.
    public static let none = Proxy.Rules()

    /// The proxies of `http_proxy`, `https_proxy` and `all_proxy` in the environment, except for hosts of
    /// `no_proxy`.
    ///
    /// Variables with names in upper case also count, except `HTTP_PROXY`. Requests to localhost use no
    /// proxy. With `URLSessionTransport`, the system's proxies apply instead. After setting a property of a
    /// copy, the copy no longer uses the environment.
    public static let environment = Proxy.Rules(isEnvironment: true)

    /// Creates rules with proxies; by default none.
    ///
    /// Requests to localhost use a proxy only if the proxy is on localhost too.
    public init(http: Proxy? = nil, https: Proxy? = nil, exceptions: [String] = []) {
      (self.http, self.https, self.exceptions) = (http, https, exceptions)
      isEnvironment = false
    }

    private init(isEnvironment: Bool) {
      (http, https, exceptions) = (nil, nil, [])
      self.isEnvironment = isEnvironment
    }

    /// Returns rules with the same proxy for http and https URLs.
    public static func all(_ proxy: Proxy, exceptions: [String] = []) -> Proxy.Rules {
      Proxy.Rules(http: proxy, https: proxy, exceptions: exceptions)
    }
  }
}
