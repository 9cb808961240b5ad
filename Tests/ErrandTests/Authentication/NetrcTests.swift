import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Names and passwords from a netrc file")
struct NetrcTests {
  private let folder = TemporaryDirectory()

  private static let text = """
    # mine
    machine a.example login ada password s3cret account x
    machine b.example
      login "bob \\"b\\""  password "p w\\\\"
    macdef init
    machine c.example login no password no

    machine A.example login late password late
    machine d.example login half
    machine e.example login eve password se#cret # a comment
    default login guest password me@home
    """

  @Test("The file has credentials for a named host, or for all other hosts")
  func table() throws {
    let netrc = try Netrc(Self.text)
    let hosts = ["a.example", "A.EXAMPLE", "b.example", "c.example", "d.example", "e.example"]
    #expect(
      hosts.map { netrc[$0].map { "\($0.username)/\($0.password)" } } == [
        "ada/s3cret", "ada/s3cret", "bob \"b\"/p w\\", "guest/me@home", nil, "eve/se#cret",
      ])
    #expect(try Netrc("")["a"] == nil)
    var printed = "\(netrc) \(String(reflecting: netrc))"
    dump(netrc, to: &printed)
    #expect("\(netrc)" == "a.example, b.example, d.example, e.example, default")
    for secret in ["s3cret", "ada", "me@home", "guest"] { #expect(!printed.contains(secret)) }
  }

  @Test("An IPv6 address has the same credentials with and without brackets")
  func addresses() throws {
    let netrc = try Netrc("machine ::1 login ada password a\nmachine [2001:DB8::7] login bob password b")
    #expect(
      ["::1", "[::1]", "2001:db8::7", "[2001:db8::7]", "[::2]"].map { netrc[$0]?.username } == [
        "ada", "ada", "bob", "bob", nil,
      ])
  }

  @Test("A password may be the word macdef, and a macro may follow")
  func macroName() throws {
    let netrc = try Netrc("machine a login ada password macdef\nmacdef x\nmachine b login no password no\n")
    #expect(netrc["a"].map { "\($0.username)/\($0.password)" } == "ada/macdef")
    #expect(netrc["b"] == nil)
  }

  @Test("A value may be a word of the format, also before a macro")
  func wordsAsValues() throws {
    let netrc = try Netrc(
      "machine h password x login login\nmacdef init\nmachine b login no password no\n\n"
        + "machine machine login macdef password\nmacdef account password\ndefault login password password account"
    )
    #expect(
      ["h", "b", "machine"].map { netrc[$0].map { "\($0.username)/\($0.password)" } } == [
        "login/x", "password/account", "macdef/macdef",
      ])
    #expect("\(netrc)" == "h, machine, default")
  }

  @Test("The first default entry counts, also without a password")
  func firstDefault() throws {
    let first = try Netrc("default login a password b default login c password d")
    #expect(first["h"].map { "\($0.username)/\($0.password)" } == "a/b")
    let half = try Netrc("default login a default login c password d")
    #expect(half["h"] == nil && "\(half)" == "default")
  }

  @Test(
    "An unreadable file is an error that quotes nothing of the file",
    arguments: [
      ("hello", #"has an unexpected word instead of "machine" or "default""#),
      ("machine", #"ends after "machine""#),
      ("machine a login", "ends after a word without its value"),
      ("machine a s3cret x", "has an unknown word"),
      ("machine a login a:b password c", "has a login or a password with a forbidden character"),
      ("machine a login \"b", "has an unclosed quotation mark"),
    ])
  func errors(_ row: (String, String)) throws {
    let error = try #require(throws: FileError.self) { try Netrc(row.0) }
    #expect("\(error)" == row.1)
  }

  @Test("A file readable by other users is refused, and so is a missing file")
  func files() throws {
    let file = folder.url.appendingPathComponent("netrc")
    try Data(Self.text.utf8).write(to: file)
    for (mode, isRead) in [(0o644, false), (0o640, false), (0o600, true), (0o400, true)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
      let netrc = try? Netrc(file: file)
      #expect((netrc?["a.example"]?.password == "s3cret") == isRead, "\(mode)")
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    let error = try #require(throws: FileError.self) { try Netrc(file: file) }
    #expect("\(error)" == "\(file.path) is accessible to other users: set its mode to 600")
    #expect(throws: FileError.self) { try Netrc(file: folder.url.appendingPathComponent("none")) }
    #expect(throws: FileError.self) { try Netrc(file: folder.url) }
  }

  @Test("A named host gets its own password, and no other host does")
  func sent() async throws {
    let transport = FunctionTransport { http, _ in
      http.headers.contains("Authorization")
        ? HTTPResponse() : HTTPResponse(status: 401, headers: ["WWW-Authenticate": "Basic realm=r"])
    }
    var configuration = AgentConfiguration()
    configuration.authenticator = PasswordAuthenticator(
      netrc: try Netrc(
        "machine a.example login ada password s3cret\nmachine b.example login bob password h0ney"))
    configuration.trustedOrigins = ["https://b.example", "https://c.example"].compactMap { URL(string: $0) }
    let agent = RequestAgent(baseURL: "https://a.example", transport: transport, configuration: configuration)
    for path in ["x", "https://b.example/x", "x"] { try await agent.send(.get(path)) }
    await #expect(throws: RequestError.self) { try await agent.send(.get("https://c.example/x")) }
    #expect(
      transport.requests.map { "\($0.url.host ?? "") \($0.headers["Authorization"] ?? "-")" } == [
        "a.example -", "a.example Basic YWRhOnMzY3JldA==", "b.example -", "b.example Basic Ym9iOmgwbmV5",
        "a.example Basic YWRhOnMzY3JldA==", "c.example -",
      ])
  }
}
