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
    /// Upper-case names are the fallback, except `HTTP_PROXY`. Requests to localhost use no proxy. With
    /// `URLSessionTransport`, the system's proxies apply instead. A changed copy has only the proxies and
    /// exceptions that were set.
    public static let environment = Proxy.Rules(isEnvironment: true)

    /// Creates rules with proxies; by default none.
    ///
    /// Requests to localhost use only a proxy on localhost.
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
