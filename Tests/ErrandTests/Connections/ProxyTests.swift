import Foundation
import Testing

@testable import Errand

@Suite("Parsing of proxies and hosts")
struct ProxyTests {
  /// URL, user and password; `nil` if invalid.
  static let proxies: [(String, String?)] = [
    ("http://proxy.example:3128", "http://proxy.example:3128 -"),
    ("http://proxy.example", "http://proxy.example:1080 -"),
    ("HTTPS://Proxy.Example/", "https://proxy.example:443 -"),
    ("socks5://[::1]:1080", "socks5://[::1]:1080 -"),
    ("socks5h://10.0.0.1", "socks5h://10.0.0.1:1080 -"),
    ("socks4a://a", "socks4a://a:1080 -"),
    ("http://ada:s3cr%65t%3A@p:8", "http://p:8 ada s3cret:"),
    ("http://ada@p:8", "http://p:8 ada "),
    ("http://ada%3Ax:y@p:8", nil),
    ("ftp://p:8", nil), ("p:8", nil), ("", nil), ("http://", nil), ("http://p:99999", nil),
    ("http://p:8/x", nil),
    ("http://p:8?x", nil), ("http://p:8#x", nil), ("http://p q:8", nil), ("http://p\r\nX: y:8", nil),
  ]

  @Test("A URL is a proxy or invalid", arguments: proxies)
  func urls(_ row: (String, String?)) {
    let proxy = Proxy(row.0)
    let credentials = proxy?.credentials.map { "\($0.username) \($0.password)" } ?? "-"
    #expect(proxy.map { "\($0) \(credentials)" } == row.1)
  }

  @Test("Credentials beside a URL count, and are never printed")
  func credentials() throws {
    let given = try #require(BasicCredentials(username: "bob", password: "h0ney"))
    let proxy = try #require(Proxy("http://ada:s3cret@p:8", credentials: given))
    #expect(proxy.credentials == given)
    var settings = ConnectionSettings()
    settings.proxies = .all(proxy)
    settings.tls.clientCertificates = [
      "a": .pem(URL(fileURLWithPath: "/k/c.pem"), passphrase: "s3cret-phrase")
    ]
    var printed =
      "\(proxy) \(String(reflecting: proxy)) \(settings) \(String(reflecting: settings)) \(settings.tls)"
    dump(settings, to: &printed)
    dump(proxy, to: &printed)
    for secret in ["s3cret", "h0ney", "bob", "ada"] { #expect(!printed.contains(secret), "\(secret)") }
  }

  /// Environment variables, a URL, and the proxy.
  static let environments: [([String: String], String, String)] = [
    ([:], "http://a.example/", "-"),
    (["http_proxy": "http://p:1"], "http://a.example/", "http://p:1"),
    (["http_proxy": "p:1"], "http://a.example/", "http://p:1"),
    (["http_proxy": "http://p:1"], "https://a.example/", "-"),
    (["HTTP_PROXY": "http://p:1"], "http://a.example/", "-"),
    (["https_proxy": "http://p:1"], "https://a.example/", "http://p:1"),
    (["HTTPS_PROXY": "http://p:1"], "https://a.example/", "http://p:1"),
    (["https_proxy": "http://p:1", "HTTPS_PROXY": "http://p:2"], "https://a.example/", "http://p:1"),
    (["all_proxy": "socks5h://p:1", "http_proxy": ""], "http://a.example/", "socks5h://p:1"),
    (["ALL_PROXY": "socks://p:1"], "https://a.example/", "socks4://p:1"),
    (["all_proxy": "gopher://p:1"], "https://a.example/", "unusable all_proxy"),
    (["https_proxy": "http://p:nothing"], "https://a.example/", "unusable https_proxy"),
    (["all_proxy": "http://p:1"], "http://localhost:80/", "-"),
    (["all_proxy": "http://p:1"], "http://LOCALHOST/", "-"),
    (["all_proxy": "http://p:1"], "https://app.localhost/", "-"),
    (["all_proxy": "http://p:1"], "http://localhost./", "-"),
    (["all_proxy": "http://p:1"], "http://127.0.0.1./", "-"),
    (["all_proxy": "http://p:1"], "http://127.8.9.10:8080/", "-"),
    (["all_proxy": "http://p:1"], "http://[::1]:80/", "-"),
    (["all_proxy": "http://p:1"], "http://[::ffff:127.0.0.1]/", "-"),
    (["all_proxy": "http://p:1"], "http://localhost.example/", "http://p:1"),
    (["all_proxy": "http://p:1"], "http://128.0.0.1/", "http://p:1"),
    (["all_proxy": "http://p:1"], "http://[::2]/", "http://p:1"),
    (["all_proxy": "http://p:1"], "http://127.example/", "http://p:1"),
    (["all_proxy": "http://p:1", "no_proxy": "b.example,a.example"], "http://a.example/", "-"),
    (["all_proxy": "http://p:1", "no_proxy": "a.example"], "http://www.A.example./", "-"),
    (["all_proxy": "http://p:1", "NO_PROXY": ".a.example b"], "http://a.example/", "-"),
    (["all_proxy": "http://p:1", "no_proxy": "*.a.example"], "http://x.a.example/", "-"),
    (["all_proxy": "http://p:1", "no_proxy": "a.example"], "http://ba.example/", "http://p:1"),
    (["all_proxy": "http://p:1", "no_proxy": "*"], "http://ba.example/", "-"),
    (["all_proxy": "http://p:1", "no_proxy": "10.0.0.0/8"], "http://10.1.2.3/", "-"),
    (["all_proxy": "http://p:1", "no_proxy": "10.0.0.0/8"], "http://11.1.2.3/", "http://p:1"),
    (["all_proxy": "http://p:1", "no_proxy": "fe80::/10"], "http://[fe80::1]/", "-"),
    (["all_proxy": "http://p:1", "no_proxy": "fe80::1"], "http://[fe80::1]/", "-"),
    (["all_proxy": "http://p:1", "no_proxy": "b\u{FC}cher.example"], "http://xn--bcher-kva.example/", "-"),
    (
      ["all_proxy": "http://p:1", "no_proxy": "b\u{FC}cher.example:8080"], "http://xn--bcher-kva.example/",
      "http://p:1"
    ),
    (
      ["all_proxy": "http://p:1", "no_proxy": "b\u{FC}cher.example/x"], "http://xn--bcher-kva.example/",
      "http://p:1"
    ),
  ]

  @Test("The environment is read as in curl", arguments: environments)
  func environment(_ row: ([String: String], String, String)) throws {
    let table = ProxyTable(environment: row.0)
    #expect(Self.text(table.entry(for: try #require(URL(string: row.1)))) == row.2)
  }

  @Test("A changed copy of the environment's rules has only the proxies and exceptions that were set")
  func changedEnvironment() throws {
    let proxy = try #require(Proxy("http://proxy.example:3128"))
    var rules = Proxy.Rules.environment
    #expect(rules.isEnvironment)
    rules.http = proxy
    #expect(rules == Proxy.Rules(http: proxy))
    rules = .environment
    rules.exceptions = ["a.example"]
    #expect(rules == Proxy.Rules(exceptions: ["a.example"]))
  }

  @Test("Explicit rules have a proxy per scheme, only a local proxy for this machine, and exceptions")
  func stated() throws {
    let (one, two) = (try #require(Proxy("http://p:1")), try #require(Proxy("socks5://p:2")))
    let table = ProxyTable(
      Proxy.Rules(http: one, https: two, exceptions: ["b.example", "*.c.example", "10.0.0.0/8"]))
    let rows = [
      "http://a/": "http://p:1", "https://a/": "socks5://p:2", "http://localhost/": "-",
      "http://127.0.0.1/": "-", "http://b.example/": "-", "http://x.b.example/": "http://p:1",
      "http://c.example/": "http://p:1", "https://x.c.example/": "-", "https://10.9.9.9/": "-",
    ]
    for (url, proxy) in rows {
      #expect(Self.text(table.entry(for: try #require(URL(string: url)))) == proxy, "\(url)")
    }
    let here = ProxyTable(.all(try #require(Proxy("http://[::1]:8080"))))
    #expect(
      Self.text(here.entry(for: try #require(URL(string: "https://localhost/")))) == "http://[::1]:8080")
    #expect(ProxyTable(.none).isEmpty && !table.isEmpty && !table.usesTLS)
  }

  private static func text(_ entry: ProxyTable.Entry) -> String {
    switch entry {
    case .none: "-"
    case .proxy(let proxy): "\(proxy)"
    case .unusable(let variable): "unusable \(variable)"
    }
  }

  /// A pattern, matching hosts, and other hosts.
  static let patterns: [(String, [String], [String])] = [
    (
      "example.com", ["example.com", "EXAMPLE.com", "example.com."],
      ["www.example.com", "xample.com", "example.com.x"]
    ),
    ("*.example.com", ["www.example.com", "a.b.example.com."], ["example.com", "badexample.com", "x.com"]),
    ("bücher.example", ["xn--bcher-kva.example"], ["bcher.example"]),
    ("10.1.2.3", ["10.1.2.3", "[::ffff:10.1.2.3]"], ["10.1.2.4", "10.1.2.3.example"]),
    ("10.1.2.3/31", ["10.1.2.2", "10.1.2.3"], ["10.1.2.4", "10.1.2.1"]),
    ("::ffff:10.0.0.0/104", ["10.1.2.3"], ["11.0.0.1"]),
    ("0.0.0.0/0", ["10.1.2.2", "255.1.1.1"], ["a", "[::1]", "[2000::1]"]),
    ("2001:db8::/33", ["[2001:db8:7fff::1]"], ["[2001:db8:8000::1]"]),
    ("::1/128", ["[::1]"], ["[::2]"]), ("::/0", ["[::2]", "1.2.3.4"], ["a"]),
    ("10.0.0.0/33", [], ["10.0.0.0"]), ("10.0.0.0/x", [], ["10.0.0.0"]), ("*.3", [], ["10.1.2.3"]),
    ("*", ["a", "1.2.3.4"], []), ("", [], ["a", ""].filter { !$0.isEmpty }),
  ]

  @Test("A pattern matches a host, its subdomains, or a block of addresses", arguments: patterns)
  func pattern(_ row: (String, [String], [String])) {
    let pattern = HostPattern(row.0)
    #expect(row.1.filter { !pattern.matches($0) } == [])
    #expect(row.2.filter { pattern.matches($0) } == [])
  }

  @Test("A URL, a port, a leading dot and an empty text are no patterns")
  func noPatterns() {
    let bad = [
      "", "https://a.example", "a.example:443", ".a.example", "*.*", "*.", "10.0.0.0/33",
      "10.0.0.0/9223372036854775807", "::/129", "::/-1", "a b", "a/8", "*x", "bücher.example:443",
      "bücher.example/path", "https://bücher.example", "user@bücher.example",
    ]
    #expect(bad.filter(HostPattern.isPattern) == [])
    let good = ["*", "a", "a.example.", "*.a", "bücher.example", "10.0.0.0/32", "[::1]", "::/0", "x_y"]
    #expect(good.filter { !HostPattern.isPattern($0) } == [])
  }

  @Test("The exact name in a table counts first, then the longest pattern")
  func table() {
    let table = HostTable([
      "*": 0, "*.example.com": 1, "*.api.example.com": 2, "api.example.com": 3, "localhost": 4,
    ])
    let hosts = ["x", "a.example.com", "b.api.example.com", "api.example.com", "localhost"]
    #expect(hosts.map { table[$0] } == [0, 1, 2, 3, 4])
    #expect(HostTable(["a": 1])["b"] == nil)
    let blocks = HostTable(["10.0.0.0/8": 0, "10.1.0.0/16": 1, "10.1.2.3": 2, "*": 3, "::/0": 4, "::1": 5])
    let addresses = ["10.9.9.9", "10.1.9.9", "10.1.2.3", "host", "2001:db8::1", "::1"]
    #expect(addresses.map { blocks[$0] } == [0, 1, 2, 3, 4, 5])
  }

  @Test("Public and other addresses are distinguished")
  func addresses() {
    let open = [
      "1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.0.1.1",
      "198.17.1.1",
      "198.20.0.1", "223.255.255.255", "[2606:4700::1111]", "2003::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
    ]
    let closed = [
      "0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.1",
      "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
      "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1",
      "::ffff:10.0.0.1",
      "64:ff9b::10.0.0.1", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1",
      "fc00::1", "fd12::1", "fe80::1%eth0", "fec0::1", "ff02::1", "[::1]",
    ]
    #expect(open.filter { IPAddress($0)?.isPublic != true } == [])
    #expect(closed.filter { IPAddress($0)?.isPublic != false } == [])
    // An address behind a NAT64 translator is another machine.
    let here = ["127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "::7f00:1", "::2"]
    #expect(here.filter { IPAddress($0)?.isLoopback == true } == Array(here[..<4]))
    #expect(
      ["", "a", "1.2.3", "1.2.3.4.5", "256.1.1.1", "0x7f.1", "01.2.3.4 ", "::g", "[1.2.3.4"].filter {
        IPAddress($0) != nil
      } == [])
  }

  @Test("A pin is 32 bytes in Base64, with or without curl's prefix")
  func pins() throws {
    let text = "MDNSSU4YnDsfoq/evVmqrj/3NXCP8F5Nkf+ZfsM5I3s="
    let pin = try #require(TLSSettings.PublicKeyPin(text))
    #expect(TLSSettings.PublicKeyPin("sha256/\(text)\n") == pin)
    #expect(
      TLSSettings.PublicKeyPin("sha256//\(text)") == pin && "\(pin)" == "sha256//\(text)"
        && pin.sha256.count == 32)
    // The Base64 of this hash begins with a slash.
    let slashed = Data(repeating: 0xFF, count: 32)
    for prefix in ["", "sha256/", "sha256//"] {
      #expect(TLSSettings.PublicKeyPin(prefix + slashed.base64EncodedString())?.sha256 == slashed)
    }
    #expect(
      ["", "abc", "MDNS", "sha1//\(text)", text + "A", "\(text);sha256//\(text)"].filter {
        TLSSettings.PublicKeyPin($0) != nil
      } == [])
  }
}
