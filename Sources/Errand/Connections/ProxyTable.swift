import Foundation

struct ProxyTable: Sendable {
  enum Entry: Sendable {
    case none
    case proxy(Proxy)
    /// An environment variable has an invalid value.
    case unusable(variable: String)
  }

  private let http: Entry
  private let https: Entry
  private let exceptions: [HostPattern]
  private let sparesLoopback: Bool
  let isEmpty: Bool

  var usesTLS: Bool {
    [http, https].contains { if case .proxy(let proxy) = $0 { proxy.kind == .https } else { false } }
  }

  init(_ rules: Proxy.Rules) {
    if rules.isEnvironment {
      self = Self.environment
    } else {
      self.init(
        http: rules.http.map(Entry.proxy) ?? .none, https: rules.https.map(Entry.proxy) ?? .none,
        exceptions: rules.exceptions.map(HostPattern.init), sparesLoopback: false)
    }
  }

  private init(http: Entry, https: Entry, exceptions: [HostPattern], sparesLoopback: Bool) {
    (self.http, self.https, self.exceptions) = (http, https, exceptions)
    self.sparesLoopback = sparesLoopback
    if case (.none, .none) = (http, https) { isEmpty = true } else { isEmpty = false }
  }

  private static let environment = ProxyTable(environment: ProcessInfo.processInfo.environment)

  init(environment: [String: String]) {
    // `HTTP_PROXY` is ignored: in a CGI program, a client's `Proxy` field sets the variable.
    func entry(_ names: [String]) -> Entry {
      for name in names {
        guard let value = environment[name], !value.isEmpty else { continue }
        let url = value.contains("://") ? value : "http://\(value)"
        return Proxy(Self.withKnownScheme(url)).map(Entry.proxy) ?? .unusable(variable: name)
      }
      return .none
    }
    let exceptions = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
    self.init(
      http: entry(["http_proxy", "all_proxy", "ALL_PROXY"]),
      https: entry(["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]),
      exceptions: exceptions.split { $0 == "," || $0.isWhitespace }.flatMap(Self.patterns),
      sparesLoopback: true)
  }

  private static func withKnownScheme(_ url: String) -> String {
    url.lowercased().hasPrefix("socks://") ? "socks4" + url.dropFirst(5) : url
  }

  private static func patterns(_ entry: Substring) -> [HostPattern] {
    let name = entry.hasPrefix("*.") ? entry.dropFirst(2) : entry.hasPrefix(".") ? entry.dropFirst() : entry
    return [String(name), "*.\(name)"].filter(HostPattern.isPattern).map(HostPattern.init)
  }

  /// Returns the proxy for a URL.
  ///
  /// Requests to localhost use no proxy of the environment. With other rules, requests to localhost use a
  /// proxy only if the proxy is on localhost too.
  func entry(for url: URL) -> Entry {
    let entry = WebScheme(url) == .https ? https : http
    if case .none = entry { return .none }
    guard let host = URLParts(absolute: url.absoluteString).map({ String($0.host) }),
      !exceptions.contains(where: { $0.matches(host) })
    else { return .none }
    guard Self.isHere(host) else { return entry }
    if !sparesLoopback, case .proxy(let proxy) = entry, Self.isHere(proxy.host) { return entry }
    return .none
  }

  private static func isHere(_ host: String) -> Bool {
    let name = host.lowercased()
    // A trailing dot stands for the DNS root (RFC 1034 section 3.1).
    let host = NumericHost.standard(name.hasSuffix(".") ? String(name.dropLast()) : name)
    return Origin.isLoopback(host) || IPAddress(host)?.isLoopback == true
  }
}
