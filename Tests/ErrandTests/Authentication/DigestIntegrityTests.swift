import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Digests over bodies, and short-lived nonces", .timeLimit(.minutes(5)))
struct DigestIntegrityTests {
  private static let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
  private static let random = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"

  private func challenge(_ algorithm: String, _ qop: String) throws -> DigestChallenge {
    let field =
      "Digest realm=\"http-auth@example.org\", qop=\"\(qop)\", algorithm=\(algorithm), nonce=\"\(Self.nonce)\""
    let response = HTTPResponse(status: 401, headers: ["WWW-Authenticate": field])
    return try #require(response.challenges.compactMap { DigestChallenge($0) }.first)
  }

  /// RFC 7616 section 3.9.1; the RFC has no example of `auth-int`.
  private static let sums = [
    ("MD5", "", "35ec75c6389a8fd8412c13222b3affe8"), ("MD5", "Hello", "5f4123f2d68009b687bcb36bb2162ff9"),
    ("SHA-256", "", "322f218d701da7c7ef51e3ba6fa2551a2bf36425e1218fc1508c6bf65cbd4448"),
    ("SHA-256", "Hello", "75a2b08d3d1991347efc8f2522c20dafecbb45aa462ade1f453a651d4f71b845"),
  ]

  @Test("auth-int includes a digest of the body", arguments: sums)
  func vectors(_ algorithm: String, _ body: String, _ sum: String) throws {
    let user = try #require(BasicCredentials(username: "Mufasa", password: "Circle of Life"))
    let challenge = try challenge(algorithm, "auth-int")
    let answer = challenge.answer(
      method: "POST", target: "/dir/index.html", credentials: user, count: 1, clientNonce: Self.random,
      bodySum: challenge.algorithm.sum(body))
    #expect(answer.contains("nc=00000001, qop=auth-int, response=\"\(sum)\""))
  }

  @Test(
    "auth is preferred if offered, auth-int is used if required, and other qualities are refused",
    arguments: [
      ("auth", false), ("auth-int", true), ("auth-int, auth", false), ("auth,auth-int", false),
      ("AUTH-INT", true), ("x, auth-int", true),
    ])
  func choice(_ offers: String, _ covers: Bool) throws {
    #expect(try challenge("MD5", offers).coversBody == covers)
  }

  @Test("Offers without a known algorithm are not answered", arguments: ["", "x", "auth-conf", ","])
  func unknown(_ offers: String) {
    let field = "Digest realm=\"r\", nonce=\"n\", qop=\"\(offers)\""
    let challenges = HTTPResponse(headers: ["WWW-Authenticate": field]).challenges
    #expect(challenges.count == 1 && challenges.compactMap { DigestChallenge($0) }.isEmpty)
  }

  /// Without `isStrict`, the server refuses every request.
  private func server(
    nonce: @escaping @Sendable () -> String = { "n" }, isStale: Bool = false, isStrict: Bool = true
  ) throws -> MockServer {
    let server = try MockServer()
    server.route(nil, "/*") { request in
      let field = #"Digest realm="r", qop="auth-int", algorithm=SHA-256, nonce="\#(nonce())""#
      let refusal = MockAnswer.status(401).header("WWW-Authenticate", field + (isStale ? ", stale=true" : ""))
      guard let sent = request.headers["Authorization"], isStrict,
        let parts = HTTPResponse(headers: ["WWW-Authenticate": sent]).challenges.first?.parameters,
        let digest = HTTPResponse(headers: ["WWW-Authenticate": field]).challenges.compactMap({
          DigestChallenge($0)
        }).first,
        let count = parts["nc"].flatMap({ Int($0, radix: 16) }), let random = parts["cnonce"],
        let user = BasicCredentials(username: "ada", password: "right"),
        sent
          == digest.answer(
            method: "\(request.method)", target: request.target, credentials: user, count: count,
            clientNonce: random,
            bodySum: digest.algorithm.sum(request.text))
      else { return refusal }
      return .text("\(request.text) \(count)")
    }
    return server
  }

  private func agent(_ server: MockServer, _ password: String = "right") throws -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.authenticator = PasswordAuthenticator(
      try #require(BasicCredentials(username: "ada", password: password)))
    return RequestAgent(baseURL: server.baseURL, configuration: configuration)
  }

  @Test("Bodies in memory, of files and of replayable streams are covered, and a one-shot body is an error")
  func bodies() async throws {
    let server = try server()
    let agent = try agent(server)
    #expect(try await agent.send(.get("a", as: String.self)) == " 1")
    #expect(try await agent.send(.put("a", body: .text("x"), as: String.self)) == "x 2")
    let folder = TemporaryDirectory()
    let file = folder.url.appendingPathComponent("body.txt")
    try Data("from a file".utf8).write(to: file)
    #expect(try await agent.send(.put("a", body: .file(file), as: String.self)) == "from a file 3")
    let chunks: @Sendable () -> AsyncStream<Data> = {
      AsyncStream { continuation in
        for text in ["in ", "pieces"] { continuation.yield(Data(text.utf8)) }
        continuation.finish()
      }
    }
    let anew = RequestBody.stream(restart: chunks)
    #expect(try await agent.send(.put("a", body: anew, as: String.self)) == "in pieces 4")
    let count = server.requests.count
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.put("a", body: .stream(chunks())))
    }
    #expect(
      error.reason
        == "the server requires a digest of the body (Digest, qop=auth-int), but the body can be produced only once"
    )
    #expect(error.kind == .authentication && error.stage == .authenticate)
    #expect(server.requests.count == count)
  }

  @Test("A nonce that is always stale is renewed three times, and then the dispatch fails")
  func staleForEver() async throws {
    let number = Locked(0)
    let server = try server(
      nonce: {
        number.withLock { number in
          number += 1
          return "n\(number)"
        }
      }, isStale: true, isStrict: false)
    let agent = try agent(server)
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("a")) }
    #expect(error.status == 401 && server.requests.count == 4)
    #expect(error.challenges.map { $0.parameters["nonce"] } == ["n4"])
  }

  @Test("A nonce that is stale twice is answered in the third round")
  func staleTwice() async throws {
    let number = Locked(0)
    let server = try server(
      nonce: {
        number.withLock { number in
          number += 1
          return "n\(min(number, 3))"
        }
      }, isStale: true)
    // The first three requests each get a new nonce, so the first two digests are stale.
    #expect(try await agent(server).send(.put("a", body: .text("x"), as: String.self)) == "x 1")
    #expect(server.requests.count == 4)
  }

  @Test("A wrong password is sent at most twice per dispatch, also under concurrency")
  func wrong() async throws {
    let server = try server()
    let agent = try agent(server, "wrong")
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          await #expect(throws: RequestError.self) { try await agent.send(.get("a")) }
        }
      }
    }
    #expect(server.requests.count { $0.headers["Authorization"] != nil } <= 40)
    // A refusal removes the challenge for all dispatches, so a dispatch may need all rounds to send an answer.
    #expect(server.requests.count <= 80)
  }
}
