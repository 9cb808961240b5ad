import Foundation
import Testing

@testable import Errand

@Suite("Numeric hosts")
struct NumericHostTests {
  static let rows: [(String, NumericHost.Reading)] = [
    ("127.0.0.1", .address("127.0.0.1")), ("127.0.0.1.", .address("127.0.0.1")),
    ("127.1", .address("127.0.0.1")), ("127.0.258", .address("127.0.1.2")), ("0x7f.1", .address("127.0.0.1")),
    ("0X7F000001", .address("127.0.0.1")), ("2130706433", .address("127.0.0.1")),
    ("017700000001", .address("127.0.0.1")), ("0", .address("0.0.0.0")), ("0x", .address("0.0.0.0")),
    ("4294967295", .address("255.255.255.255")), ("1.0xFFFFFF", .address("1.255.255.255")),
    ("4294967296", .invalid), ("127.0.0.257", .invalid), ("256.0.0.1", .invalid), ("1.2.3.4.5", .invalid),
    ("1..2", .invalid), ("08", .invalid), ("h.1", .invalid), ("h.0x1.", .invalid), ("1.16777216", .invalid),
    ("99999999999999999999999999999999", .invalid), ("0xffffffffffffffffffffffffffffffff", .invalid),
    ("1.h", .name), ("h1", .name), ("1h", .name), ("0xg", .name), ("h", .name), ("", .name), (".", .name),
    ("1..", .name), ("[::1]", .name), ("::1", .name), ("[::ffff:127.0.0.1]", .name),
  ]

  @Test("A numeric host is an address in any notation, or refused, and names stay", arguments: rows)
  func read(_ row: (host: String, reading: NumericHost.Reading)) {
    #expect(NumericHost.read(row.host) == row.reading)
  }

  private func origin(_ host: String) throws -> Origin {
    try #require(URL(string: "http://\(host)/").flatMap(Origin.init))
  }

  @Test("Origin comparison and name lookup see the address")
  func compared() throws {
    let plain = try origin("127.0.0.1")
    for host in ["127.1", "0x7f.1", "0X7F000001", "2130706433", "127.0.0.1."] {
      let found = try self.origin(host)
      #expect(found == plain && found.isConfidential, "\(host)")
      #expect(HostPattern("127.0.0.1").matches(host) && HostPattern("127.0.0.0/8").matches(host), "\(host)")
      #expect(HostPattern(host).matches("127.0.0.1") && !HostPattern("*.1").matches(host), "\(host)")
    }
    let other = try origin("2164260865")
    #expect(other.host == "129.0.0.1" && !other.isConfidential)
    #expect(Origin.isLoopback("127.0.0.255") && !Origin.isLoopback("127.0.0.256"))
    #expect(HostPattern("*.1.example").matches("1.1.example") && !HostPattern("h.1").matches("h.2"))
  }

  @Test(
    "A request goes to the address from its base, its path and a redirect, and an invalid address is refused")
  func sent() async throws {
    let transport = FunctionTransport { http, _ in
      http.url.path == "/away"
        ? HTTPResponse(status: 302, headers: ["Location": "http://0x7f.1/there"]) : HTTPResponse()
    }
    let agent = RequestAgent(baseURL: "http://127.1/api", transport: transport)
    for path in ["x", "http://2130706433/y", "http://017700000001/away"] {
      _ = try await agent.send(.get(path, as: Data.self))
    }
    #expect(
      transport.requests.map(\.url.absoluteString) == [
        "http://127.0.0.1/api/x", "http://127.0.0.1/y", "http://127.0.0.1/away", "http://127.0.0.1/there",
      ])
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.get("http://127.0.0.257/x", as: Data.self))
    }
    #expect(error.kind == .invalidURL)
    #expect(
      error.reason
        == #"the host "127.0.0.257" of "http://127.0.0.257/x" ends in a number, but is not an IPv4 address"#)
  }

  @Test(
    "A dot segment of a Location may be escaped",
    arguments: [
      ("x/%2e%2E/y", "http://a/b/y"), (".%2e/y", "http://a/y"), ("%2E/y", "http://a/b/y"),
      ("%2e%2e%2e/y", "http://a/b/%2e%2e%2e/y"), ("x/%2e", "http://a/b/x/"), ("%2fx", "http://a/b/%2fx"),
    ])
  func dots(_ row: (String, String)) throws {
    let base = try #require(URLParts(absolute: "http://a/b/c"))
    #expect(try base.resolve(row.0).absoluteString == row.1)
  }
}
