import Foundation

extension Proxy {
  /// Which requests go through which proxy.
  public struct Rules: Sendable, Hashable {
    /// For http URLs; `nil` asks servers themselves.
    public var http: Proxy?
    /// For https URLs; `nil` asks servers themselves.
    public var https: Proxy?
    /// Who is asked without a proxy: `example.com`, `*.example.com` for all hosts below it, addresses, and blocks of them such as
    /// `10.0.0.0/8`, which do not count for names.
    public var exceptions: [String]
    /// Whether the environment says it.
    let isEnvironment: Bool

    /// No proxy, whatever the environment says.
    public static let none = Proxy.Rules()

    /// What the environment says: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, as curl reads them; never for this machine.
    ///
    /// Read once in a process.
    public static let environment = Proxy.Rules(isEnvironment: true)

    /// Makes rules that name the proxies; by default none.
    ///
    /// This machine is asked through a proxy that is on it too, unless it is among the exceptions, and never through one elsewhere.
    public init(http: Proxy? = nil, https: Proxy? = nil, exceptions: [String] = []) {
      (self.http, self.https, self.exceptions) = (http, https, exceptions)
      isEnvironment = false
    }

    private init(isEnvironment: Bool) {
      (http, https, exceptions) = (nil, nil, [])
      self.isEnvironment = isEnvironment
    }

    /// One proxy for all.
    public static func all(_ proxy: Proxy, exceptions: [String] = []) -> Proxy.Rules {
      Proxy.Rules(http: proxy, https: proxy, exceptions: exceptions)
    }
  }
}
