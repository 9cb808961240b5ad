import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Passwords for challenges of a server", .timeLimit(.minutes(5)))
struct PasswordAuthenticatorTests {
  @Test(
    "MD5 has the digests of RFC 1321",
    arguments: [
      ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
      ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
      (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
    ])
  func md5(_ text: String, _ sum: String) {
    #expect(DigestChallenge.Algorithm.md5.sum(text) == sum)
  }

  @Test("Challenges are separated at the right commas")
  func challenges() {
    func read(_ fields: String...) -> [String] {
      var response = HTTPResponse(status: 401)
      for field in fields { response.headers.add("WWW-Authenticate", field) }
      return response.challenges.map { challenge in
        let parameters = challenge.parameters.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
        return ([challenge.scheme, challenge.token68 ?? "-"] + parameters).joined(separator: " ")
      }
    }
    #expect(
      read(#"Newauth realm="apps", type=1, title="Login to \"apps\", now", Basic realm="simple""#) == [
        #"Newauth - realm:apps title:Login to "apps", now type:1"#, "Basic - realm:simple",
      ])
    #expect(read("Negotiate", "NTLM") == ["Negotiate -", "NTLM -"])
    #expect(read("Negotiate YWJj=, , Basic REALM = x") == ["Negotiate YWJj=", "Basic - realm:x"])
    #expect(read("Basic realm=a, realm=b,") == ["Basic - realm:a"])
    #expect(read("Basic realm=\"open", "=", "") == ["Basic -"])
    #expect(read("A, B c=d") == ["A -", "B - c:d"])
  }

  @Test("Answers follow RFC 7616, and RFC 2069 for older servers")
  func answers() throws {
    let user = try #require(BasicCredentials(username: "Mufasa", password: "Circle of Life"))
    func answer(_ field: String, count: Int = 1) throws -> String {
      let response = HTTPResponse(status: 401, headers: ["WWW-Authenticate": field])
      let challenge = try #require(response.challenges.compactMap { DigestChallenge($0) }.first)
      return challenge.answer(
        method: "GET", target: "/dir/index.html", credentials: user, count: count,
        clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
    }
    let common = #"""
      realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
      """#
    let sums = [
      ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
      ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
    ]
    for (algorithm, sum) in sums {
      let expected =
        #"Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=\#(algorithm), "#
        + #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", "#
        + #"nc=00000001, qop=auth, response="\#(sum)", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#
      #expect(try answer("Digest \(common), algorithm=\(algorithm)") == expected)
    }
    #expect(try answer("Digest \(common)", count: 255).contains("nc=000000ff"))
    let old = try answer(#"Digest realm="a \"b\"", nonce="n""#)
    #expect(
      old.hasPrefix(
        #"Digest username="Mufasa", realm="a \"b\"", uri="/dir/index.html", algorithm=MD5, nonce="n", response=""#
      ))
    #expect(!old.contains("cnonce") && !old.contains("qop"))
    #expect(try answer("Digest \(common), algorithm=MD5-sess").contains("algorithm=MD5-sess"))
    #expect(try !answer("Digest \(common), userhash=true").contains("Mufasa"))
    for field in [
      "Digest realm=a", "Digest realm=a, nonce=b, algorithm=SHA-512",
      "Digest realm=a, nonce=b, algorithm=SHA3-256",
      "Digest realm=a, nonce=b, qop=auth-conf",
    ] {
      let challenges = HTTPResponse(headers: ["WWW-Authenticate": field]).challenges
      #expect(challenges.count == 1 && challenges.compactMap { DigestChallenge($0) }.isEmpty)
    }
  }

  @Test(
    "SHA-512/256 has the digests of other implementations",
    arguments: [
      ("", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
      ("abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
      (
        String(repeating: "a", count: 200), "19b1e37317d7fd3d7651f397005e31f154ef4912d1345743d2d5889aaca28996"
      ),
    ])
  func sha512To256(_ text: String, _ sum: String) {
    #expect(DigestChallenge.Algorithm.sha512To256.sum(text) == sum)
  }

  @Test("SHA-512/256 answers the challenge of RFC 7616 section 3.9.2, and is preferred to SHA-256 and MD5")
  func strongest() throws {
    let user = try #require(BasicCredentials(username: "J\u{E4}s\u{F8}n Doe", password: "Secret, or not?"))
    let common =
      #"realm="api@example.org", qop="auth", nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", "#
      + #"opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true"#
    var response = HTTPResponse(status: 401)
    for algorithm in ["MD5", "SHA-256", "SHA-512-256", "SHA-512-256-sess"] {
      response.headers.add("WWW-Authenticate", "Digest \(common), algorithm=\(algorithm)")
    }
    let challenge = try #require(DigestChallenge.strongest(of: response.challenges))
    #expect(
      challenge.answer(
        method: "GET", target: "/doe.json", credentials: user, count: 1,
        clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm")
        == #"Digest username="793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b", "#
        + #"realm="api@example.org", uri="/doe.json", algorithm=SHA-512-256, "#
        + #"nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", cnonce="NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm", "#
        + #"nc=00000001, qop=auth, "#
        + #"response="7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c", "#
        + #"opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", userhash=true"#)
  }

  @Test(
    "The digest's target is the sent target",
    arguments: [
      ("http://a", "/"), ("http://a?b", "/?b"), ("http://a/b?", "/b?"),
      ("http://a/b%20c?d=e#f", "/b%20c?d=e"),
    ])
  func targets(_ text: String, _ target: String) throws {
    #expect(PasswordAuthenticator.target(of: try #require(URL(string: text))) == target)
  }

  // MARK: On a socket

  /// Responds with the received nonce count.
  private func digestServer(nonce: @escaping @Sendable () -> String = { "n1" }) throws -> MockServer {
    let server = try MockServer()
    server.route(nil, "/*") { request in
      let challenge = #"Digest realm="r", qop="auth", algorithm=SHA-256, nonce="\#(nonce())""#
      let refusal = MockAnswer.status(401).header("WWW-Authenticate", #"Basic realm="r""#)
        .header("WWW-Authenticate", challenge)
      guard let sent = request.headers["Authorization"],
        let parts = HTTPResponse(headers: ["WWW-Authenticate": sent]).challenges.first?.parameters,
        let digest = HTTPResponse(headers: ["WWW-Authenticate": challenge]).challenges.compactMap({
          DigestChallenge($0)
        }).first,
        let count = parts["nc"].flatMap({ Int($0, radix: 16) }), let random = parts["cnonce"],
        let user = BasicCredentials(username: "ada", password: "right"),
        sent
          == digest.answer(
            method: "\(request.method)", target: request.target, credentials: user, count: count,
            clientNonce: random)
      else { return refusal }
      return .text("count \(count)")
    }
    return server
  }

  private func agent(_ server: MockServer, _ password: String, allowsBasic: Bool = true) throws
    -> RequestAgent
  {
    let credentials = try #require(BasicCredentials(username: "ada", password: password))
    var configuration = AgentConfiguration()
    configuration.authenticator = PasswordAuthenticator(credentials, allowsBasic: allowsBasic)
    return RequestAgent(baseURL: server.baseURL, configuration: configuration)
  }

  @Test("Digest is challenged once, then sent in advance with a count, also for other methods and queries")
  func digest() async throws {
    let server = try digestServer()
    let agent = try agent(server, "right")
    #expect(try await agent.send(.get("a", as: String.self)) == "count 1")
    #expect(try await agent.send(.get("a", query: ["b": "c d"], as: String.self)) == "count 2")
    #expect(try await agent.send(.put("a", body: .text("x"), as: String.self)) == "count 3")
    #expect(server.requests.map { $0.headers["Authorization"] == nil } == [true, false, false, false])
  }

  @Test("A wrong password fails after one answer, with the challenge in the error")
  func wrong() async throws {
    let server = try digestServer()
    let agent = try agent(server, "wrong")
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("a")) }
    #expect(error.status == 401 && server.requests.count == 2)
    #expect(error.response?.challenges.map(\.scheme) == ["Basic", "Digest"])
    #expect(error.response?.challenges.last?.realm == "r")
    #expect(!"\(error)".contains("wrong") && !"\(String(reflecting: error))".contains("wrong"))
  }

  @Test("A nonce that the server rejects is renewed")
  func stale() async throws {
    let nonces = Locked("n1")
    let server = try digestServer { nonces.withLock { $0 } }
    let agent = try agent(server, "right")
    #expect(try await agent.send(.get("a", as: String.self)) == "count 1")
    #expect(try await agent.send(.get("a", as: String.self)) == "count 2")
    nonces.withLock { $0 = "n2" }
    #expect(try await agent.send(.get("a", as: String.self)) == "count 1")
    #expect(server.requests.count == 5)
  }

  @Test("The nextnonce of a success is used for the next request, without another challenge")
  func nextNonce() async throws {
    let server = try MockServer()
    server.route(nil, "/*") { request in
      let sent = request.headers["Authorization"].map { HTTPResponse(headers: ["WWW-Authenticate": $0]) }
      guard let parts = sent?.challenges.first?.parameters, let nonce = parts["nonce"] else {
        return .status(401).header("WWW-Authenticate", #"Digest realm="r", qop="auth", nonce="n1""#)
      }
      // Each response announces another nonce.
      let next = "n\(request.number)"
      return .text("\(nonce) \(parts["nc"] ?? "-")").header("Authentication-Info", #"nextnonce="\#(next)""#)
    }
    let agent = try agent(server, "right")
    var texts: [String] = []
    for _ in 0..<3 { texts.append(try await agent.send(.get("a", as: String.self))) }
    #expect(texts == ["n1 00000001", "n2 00000001", "n3 00000001"])
    #expect(server.requests.count == 4)
  }

  @Test("If nextnonce is the current nonce, the count continues")
  func sameNextNonce() async throws {
    let server = try MockServer()
    server.route(nil, "/*") { request in
      let sent = request.headers["Authorization"].map { HTTPResponse(headers: ["WWW-Authenticate": $0]) }
      guard let parts = sent?.challenges.first?.parameters, let count = parts["nc"] else {
        return .status(401).header("WWW-Authenticate", #"Digest realm="r", qop="auth", nonce="n1""#)
      }
      return .text(count).header("Authentication-Info", #"nextnonce="n1""#)
    }
    let agent = try agent(server, "right")
    var counts: [String] = []
    for _ in 0..<3 { counts.append(try await agent.send(.get("a", as: String.self))) }
    #expect(counts == ["00000001", "00000002", "00000003"])
  }

  @Test("A challenge with control characters is not answered")
  func controlCharacters() {
    func challenge(_ nonce: String) -> DigestChallenge? {
      HTTPResponse(headers: ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"\(nonce)\""]).challenges.first
        .flatMap { DigestChallenge($0) }
    }
    #expect(challenge("n\tn") != nil && challenge("n") != nil)
    #expect(challenge("n\u{1}") == nil && challenge("\u{7F}") == nil)
  }

  @Test(
    "Basic answers challenges of this machine, not if forbidden, and never over an unencrypted connection")
  func basic() async throws {
    let refusal = MockAnswer.status(401).header("WWW-Authenticate", #"Basic realm="r""#)
    let answer: @Sendable (ReceivedRequest) -> MockAnswer = { request in
      request.headers["Authorization"] == "Basic YWRhOnJpZ2h0" ? .text("in") : refusal
    }
    let server = try MockServer()
    server.route(.get, "/a", answer: answer)
    #expect(try await agent(server, "right").send(.get("a", as: String.self)) == "in")
    await #expect(throws: RequestError.self) {
      try await agent(server, "right", allowsBasic: false).send(.get("a"))
    }
    let count = server.requests.count
    await #expect(throws: RequestError.self) { try await agent(server, "wrong").send(.get("a")) }
    #expect(server.requests.count == count + 2)

    let credentials = try #require(BasicCredentials(username: "ada", password: "right"))
    for (base, tries) in [("http://open.example", 1), ("https://closed.example", 2)] {
      let transport = MockTransport(answer: answer)
      var configuration = AgentConfiguration()
      configuration.authenticator = PasswordAuthenticator(credentials)
      let agent = RequestAgent(baseURL: base, transport: transport, configuration: configuration)
      _ = try? await agent.send(.get("a"))
      #expect(transport.requests.count == tries)
    }
  }

  @Test("Printed values have no credentials, and an explanation does not count a nonce")
  func printed() async throws {
    let server = try digestServer()
    let agent = try agent(server, "right")
    _ = try await agent.send(.get("a"))
    for _ in 0..<2 {
      let explanation = try await agent.explain(.get("a"))
      #expect(explanation.request.headers["Authorization"]?.contains("nc=00000002") == true)
      #expect(!"\(explanation)".contains("response="))
    }
    let credentials = try #require(BasicCredentials(username: "ada", password: "right"))
    var dumped = ""
    dump(PasswordAuthenticator(credentials), to: &dumped)
    #expect(
      !dumped.contains("right")
        && "\(PasswordAuthenticator(credentials))" == "Password authenticator (hidden)")
  }

  @Test("100 concurrent requests are all answered")
  func concurrent() async throws {
    let server = try digestServer()
    let agent = try agent(server, "right")
    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<100 { group.addTask { try await agent.send(.get("a", as: String.self)) } }
      return try await group.reduce(into: [String]()) { $0.append($1) }
    }
    #expect(texts.count == 100 && texts.allSatisfy { $0.hasPrefix("count ") })
  }

  @Test("The error names the server's scheme, and that Basic is not sent over an unencrypted connection")
  func asked() async throws {
    func advice(_ base: String, _ fields: String...) async -> String? {
      var headers = HTTPHeaders()
      for field in fields { headers.add("WWW-Authenticate", field) }
      let transport = FunctionTransport { [headers] _, _ in HTTPResponse(status: 401, headers: headers) }
      var configuration = AgentConfiguration()
      configuration.authenticator = BasicCredentials(username: "ada", password: "s3cret").map {
        .password($0)
      }
      let agent = RequestAgent(baseURL: base, transport: transport, configuration: configuration)
      do {
        try await agent.send(.get("x"))
        return nil
      } catch {
        return "\(error)".split(separator: "\n").last.map(String.init)
      }
    }
    let end = ". Send these credentials with an Authorization header or an authenticator."
    let found = await [
      advice("http://a.example", "Basic realm=\"b\""), advice("https://a.example", "Negotiate, Bearer"),
      advice("https://a.example", "Digest realm=d, nonce=n, algorithm=SHA3-256"),
      advice("https://a.example"),
    ]
    #expect(
      found == [
        "Try: The server asks for Basic, realm \"b\", over an unencrypted connection\(end)",
        "Try: The server asks for Negotiate; Bearer\(end)",
        "Try: The server asks for Digest, realm \"d\"\(end)",
        "Try: Send credentials with an Authorization header or an authenticator.",
      ])
  }
}
