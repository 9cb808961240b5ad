import ErrandMocks
import Foundation
import TestSupport
import Testing

@testable import Errand

@Suite("Resumed uploads", .timeLimit(.minutes(5)))
struct UploadRunTests {
  private let content = UploadBench.content(250_000)
  private let directory = TemporaryDirectory()

  /// The second chunk failed finally.
  private func interrupted(_ tus: MockTus, _ body: RequestBody) async throws -> UploadProtocol.State {
    let bench = UploadBench { request in
      request.number == 3 ? .status(400) : tus.answer(to: request)
    }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(body, by: .tus(chunkSize: 100_000))
    }
    #expect(error.status == 400 && bench.log.count == 3)
    return try #require(bench.state)
  }

  @Test("A stored state is resumed, and contains its offset")
  func resumed() async throws {
    let tus = MockTus()
    let file = try directory.file("a.bin", content)
    let stored = try JSONEncoder().encode(try await interrupted(tus, .file(file)))
    let state = try JSONDecoder().decode(UploadProtocol.State.self, from: stored)
    #expect("\(state)" == "tus upload, 100000 of 250000 bytes")
    let bench = UploadBench(answer: tus.answer)
    let receipt = try await bench.upload(.file(file), by: .tus(chunkSize: 100_000), resuming: state)
    #expect(receipt.size == 250_000 && tus.uploads.map(\.data) == [content])
    #expect(
      bench.log == [
        "HEAD /files/1", "PATCH /files/1 at 100000 100000 bytes", "PATCH /files/1 at 200000 50000 bytes",
      ])
    #expect(
      bench.progress.events == [
        "1: sending 100000 of 250000 bytes, 40 %", "1: sending 200000 of 250000 bytes, 80 %",
        "1: sending 250000 of 250000 bytes, 100 %",
      ])
    // Resumes again. The server reports that the upload is complete.
    let again = UploadBench(answer: tus.answer)
    let known = try await again.upload(.file(file), by: .tus(), resuming: bench.state)
    #expect(known.size == 250_000 && known.response == nil && again.log == ["HEAD /files/1"])
  }

  @Test("A stream is read up to the server's offset, and continues there")
  func resumedStream() async throws {
    let tus = MockTus()
    let content = content
    let state = try await interrupted(tus, .stream(UploadBench.pieces(content)))
    let bench = UploadBench(answer: tus.answer)
    let body = RequestBody.stream { UploadBench.pieces(content) }
    #expect(try await bench.upload(body, by: .tus(chunkSize: 200_000), resuming: state).size == 250_000)
    #expect(tus.uploads.map(\.data) == [content] && tus.uploads[0].isComplete)
  }

  @Test("Another body, a changed file and another protocol are refused before sending")
  func mismatches() async throws {
    let file = try directory.file("a.bin", content)
    let state = try await interrupted(MockTus(), .file(file))
    let bench = UploadBench(answer: MockTus().answer)
    try FileChange.overwrite(file, with: Data("other".utf8))
    let changed =
      "the body differs from the body that the upload was started with: start a new upload without the stored state"
    let cases: [(RequestBody, UploadProtocol, RequestError.Kind, String)] = [
      (.file(file), .tus(), .encoding, changed), (.data(content), .tus(), .encoding, changed),
      (.data(Data("short".utf8)), .tus(), .encoding, changed),
      (
        .file(file), .google(), .invalidRequest,
        "the upload was started by tus and cannot be continued by google"
      ),
      (
        .file(directory.url.appendingPathComponent("none")), .tus(), .encoding,
        "the file \(directory.url.path)/none does not exist"
      ),
    ]
    for (body, uploadProtocol, kind, reason) in cases {
      let error = try await #require(throws: RequestError.self) {
        try await bench.upload(body, by: uploadProtocol, resuming: state)
      }
      #expect(error.kind == kind && error.reason == reason)
    }
    #expect(bench.log.isEmpty)
  }

  @Test("A request with its own body starts no upload except Google's")
  func ownBody() async throws {
    let bench = UploadBench(answer: MockTus().answer)
    for request in [
      OneOffRequest<Void>.post("files", body: .text("a")), .post("files", parameters: ["a": 1]),
    ] {
      for uploadProtocol in [UploadProtocol.tus(), .ietfDraft()] {
        let error = try await #require(throws: RequestError.self) {
          try await bench.upload(.data(content), to: request, by: uploadProtocol)
        }
        #expect(error.kind == .invalidRequest)
        #expect(
          error.reason
            == "the request has its own body, but an upload by \(uploadProtocol) starts without a body")
      }
    }
    #expect(bench.log.isEmpty)
  }

  @Test("A file that changes during the upload fails the upload")
  func changed() async throws {
    let tus = MockTus()
    let file = try directory.file("a.bin", content)
    let bench = UploadBench { request in
      if request.number == 2 { try FileChange.append(Data("more".utf8), to: file) }
      return tus.answer(to: request)
    }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.file(file), by: .tus(chunkSize: 100_000))
    }
    #expect(error.kind == .encoding && bench.log == ["POST /files", "PATCH /files/1 at 0 100000 bytes"])
  }

  @Test(
    "A stream shorter or longer than its length fails the upload",
    arguments: [249_999, 250_001])
  func lengths(said: Int64) async throws {
    let bench = UploadBench(answer: MockTus().answer)
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.stream(UploadBench.pieces(content), length: said), by: .tus())
    }
    #expect(error.kind == .encoding && bench.log == ["POST /files"])
    #expect(
      error.reason
        == (said == 249_999
          ? "the body has more than 249999 bytes, but 249999 were announced"
          : "the body has 250000 bytes, but 250001 were announced"))
  }

  @Test(
    "Transient failures are waited for, up to the maximum number",
    arguments: [408, 409, 423, 425, 429, 460, 500, 502, 503, 504])
  func passing(status: Int) async throws {
    let tus = MockTus()
    let bench = UploadBench { request in
      (2...3).contains(request.number) ? .status(HTTPResponse.Status(status)) : tus.answer(to: request)
    }
    _ = try await bench.upload(.data(content), by: .tus(), maxFailures: 2)
    #expect(
      bench.log == [
        "POST /files", "PATCH /files/1 at 0 250000 bytes", "HEAD /files/1", "HEAD /files/1",
        "PATCH /files/1 at 0 250000 bytes",
      ])
    #expect(bench.clock.now.offset == .seconds(3))
    let impatient = UploadBench { request in
      request.method == .patch ? .status(HTTPResponse.Status(status)) : tus.answer(to: request)
    }
    let error = try await #require(throws: RequestError.self) {
      try await impatient.upload(.data(content), by: .tus(), maxFailures: 0)
    }
    #expect(error.status?.code == status && impatient.log.count == 2)
  }

  @Test(
    "A longer wait from the server counts, up to ten minutes", arguments: [(100, 100), (100_000, 600)])
  func retryAfter(asked: Int, waited: Int) async throws {
    let tus = MockTus()
    let bench = UploadBench { request in
      request.number == 2
        ? .status(503).header("Retry-After", "\(asked)") : tus.answer(to: request)
    }
    _ = try await bench.upload(.data(content), by: .tus())
    #expect(bench.clock.now.offset == .seconds(waited))
  }

  @Test("The creation is retried after a failure, and not after a refusal")
  func beginning() async throws {
    let tus = MockTus()
    let bench = UploadBench { request in
      request.number == 1 ? .fault(.reset) : tus.answer(to: request)
    }
    _ = try await bench.upload(.data(content), by: .tus())
    #expect(bench.log == ["POST /files", "POST /files", "PATCH /files/1 at 0 250000 bytes"])
    let refused = UploadBench { _ in .status(413) }
    let error = try await #require(throws: RequestError.self) {
      try await refused.upload(.data(content), by: .tus())
    }
    #expect(error.status == 413 && refused.log == ["POST /files"])
  }

  @Test("A server that accepts nothing is asked for its offset, and abandoned")
  func stalled() async throws {
    let tus = MockTus()
    let bench = UploadBench { request in
      request.method == .patch ? .status(204).header("Upload-Offset", "0") : tus.answer(to: request)
    }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.data(content), by: .tus(), maxFailures: 2)
    }
    #expect(error.reason == "the server took none of the 250000 bytes from byte 0 on")
    let patch = "PATCH /files/1 at 0 250000 bytes"
    #expect(
      bench.log == ["POST /files", patch, "HEAD /files/1", patch, "HEAD /files/1", patch])
  }

  @Test("A server that repeatedly forgets is abandoned, although bytes were acknowledged each time")
  func forgetful() async throws {
    let tus = MockTus()
    let bench = UploadBench { request in
      if request.headers["Upload-Offset"] == "100000" { tus.forgetUploads() }
      return tus.answer(to: request)
    }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.data(content), by: .tus(chunkSize: 100_000), maxFailures: 3)
    }
    #expect(error.status == 404)
    #expect(bench.log.filter { $0 == "POST /files" }.count == 4)
  }

  @Test("An upload of another length at the state's URL is an error")
  func otherLength() async throws {
    let state = try await interrupted(MockTus(), .data(content))
    let bench = UploadBench { _ in
      .status(200).header("Upload-Offset", "100000").header("Upload-Length", "300000")
    }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.data(content), by: .tus(), resuming: state)
    }
    #expect(error.kind == .invalidResponse)
    #expect(error.reason == "the upload at the server has 300000 bytes, but the body has 250000 bytes")
  }

  @Test("Any chunk size is accepted", arguments: [Int.min, 0, .max], [true, false])
  func sizes(_ size: Int, isStream: Bool) async throws {
    let (tus, content) = (MockTus(), content.prefix(size > 0 ? .max : 3))
    let bench = UploadBench(answer: tus.answer)
    let body = isStream ? RequestBody.stream { UploadBench.pieces(Data(content)) } : .data(Data(content))
    _ = try await bench.upload(body, by: .tus(chunkSize: size))
    #expect(tus.uploads.map(\.data) == [content] && tus.uploads[0].isComplete)
  }

  @Test("A granularity larger than memory is refused")
  func granularity() async throws {
    let content = content
    let bench = UploadBench { request in
      .status(200).header("X-Goog-Upload-URL", "/files/1")
        .header("X-Goog-Upload-Chunk-Granularity", "9223372036854775807")
    }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.stream { UploadBench.pieces(content) }, by: .google(chunkSize: .max))
    }
    #expect(
      error.reason
        == "the server requires chunks in multiples of 9223372036854775807 bytes, more than the maximum of 8388608 bytes"
    )
  }

  @Test(
    "Changed numbers in a state cause no crash",
    arguments: [
      (#""offset":100000"#, #""offset":-9223372036854775808"#),
      (#""offset":100000"#, #""offset":9223372036854775807"#),
      (#""granularity":1"#, #""granularity":9223372036854775807"#),
      (#""granularity":1"#, #""granularity":-1"#),
    ])
  func changedState(from: String, to: String) async throws {
    let tus = MockTus()
    let stored = try JSONEncoder().encode(try await interrupted(tus, .data(content)))
    let changed = String(decoding: stored, as: UTF8.self).replacingOccurrences(of: from, with: to)
    #expect(changed != String(decoding: stored, as: UTF8.self))
    let state = try JSONDecoder().decode(UploadProtocol.State.self, from: Data(changed.utf8))
    tus.breakOff(after: 10)
    let bench = UploadBench(answer: tus.answer)
    #expect(try await bench.upload(.data(content), by: .tus(), resuming: state).size == 250_000)
    #expect(tus.uploads.map(\.data) == [content])
  }

  @Test(
    "A request with the method GET starts no upload",
    arguments: [UploadProtocol.tus(), .google(), .ietfDraft()])
  func method(_ uploadProtocol: UploadProtocol) async throws {
    let bench = UploadBench(answer: MockTus().answer)
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.data(content), to: .get("files"), by: uploadProtocol)
    }
    #expect(error.kind == .invalidRequest && bench.log.isEmpty)
    #expect(error.reason == "GET cannot start an upload: use another method, such as POST")
  }

  @Test("A body is required")
  func automatic() async throws {
    let bench = UploadBench(answer: MockTus().answer)
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.automatic, by: .tus())
    }
    #expect(
      error.kind == .invalidRequest && error.reason == "there is no body to upload" && bench.log.isEmpty)
  }

  // MARK: Headers by origin

  @Test(
    "Headers of request and agent are sent to the creation's origin, and elsewhere only harmless headers"
  )
  func origins() async throws {
    for host in ["mocked.example", "other.example"] {
      let tus = MockTus()
      let bench = UploadBench({ configuration in
        configuration.headers = ["X-Client": "secret", "Accept-Language": "de"]
      }) { request in
        guard request.method == .post else { return tus.answer(to: request) }
        _ = tus.answer(to: request)
        return .status(201).header("Location", "https://\(host)/files/1")
      }
      let request = OneOffRequest<Void>.post(
        "files", headers: ["Authorization": "Bearer secret", "X-Key": "secret", "Content-Language": "de"])
      _ = try await bench.upload(.data(content), to: request, by: .tus())
      let sent = bench.transport.requests[1].headers
      let isHome = host == "mocked.example"
      #expect(sent["Authorization"] == (isHome ? "Bearer secret" : nil))
      #expect(sent["X-Key"] == (isHome ? "secret" : nil))
      #expect(sent["X-Client"] == (isHome ? "secret" : nil))
      #expect(sent["Accept-Language"] == "de" && sent["Content-Language"] == nil)
      #expect(sent["User-Agent"] == bench.agent.building.userAgent)
    }
  }

  @Test("A creation redirected elsewhere omits the headers, also in the chunks")
  func redirected() async throws {
    let tus = MockTus()
    let bench = UploadBench { request in
      if request.number == 1 { return .status(307).header("Location", "https://other.example/files") }
      return tus.answer(to: request)
    }
    let request = OneOffRequest<Void>.post("files", headers: ["X-Key": "secret"])
    let receipt = try await bench.upload(.data(content), to: request, by: .tus())
    #expect(receipt.url.absoluteString == "https://other.example/files/1")
    #expect(bench.transport.requests.map { $0.headers["X-Key"] } == ["secret", nil, nil])
  }

  @Test(
    "An invalid or unencrypted URL is refused",
    arguments: [
      (nil, "the response that created the upload has no valid URL in Location"),
      (
        "http://mocked.example/files/1",
        "the URL of the upload has the scheme http, so the upload would not be encrypted"
      ),
      (
        "ftp://mocked.example/1",
        "the URL of the upload has the scheme ftp, so the upload would not be encrypted"
      ),
    ])
  func unusable(location: String?, reason: String) async throws {
    let bench = UploadBench { _ in
      location.map { MockAnswer.status(201).header("Location", $0) } ?? .status(201)
    }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.data(content), by: .tus())
    }
    #expect(error.kind == .invalidResponse && error.reason == reason && bench.log.count == 1)
  }

  @Test("Each step calls the authenticator, and a refused chunk is sent again completely")
  func authentication() async throws {
    let tus = MockTus()
    let tokens = Locked(0)
    let bench = UploadBench({ configuration in
      configuration.authenticator = BearerAuthenticator(nil) { _, _ in
        let number = tokens.withLock { tokens in
          tokens += 1
          return tokens
        }
        return BearerAuthenticator.Credential(accessToken: "token-\(number)")
      }
    }) { request in
      request.number == 2 ? .status(401) : tus.answer(to: request)
    }
    _ = try await bench.upload(.file(try directory.file("a.bin", content)), by: .tus())
    #expect(tus.uploads.map(\.data) == [content])
    #expect(
      bench.transport.requests.map { $0.headers["Authorization"] } == [
        "Bearer token-1", "Bearer token-1", "Bearer token-2",
      ])
    #expect(bench.log[1...] == ["PATCH /files/1 at 0 250000 bytes", "PATCH /files/1 at 0 250000 bytes"])
  }

  @Test("No printed form has the server's URL")
  func printed() async throws {
    let tus = MockTus(path: "/files-secret")
    let bench = UploadBench(answer: tus.answer)
    let receipt = try await bench.upload(.data(content), to: .post("files-secret"), by: .tus())
    var text = "\(receipt) \(try #require(bench.state))"
    dump(receipt, to: &text)
    dump(bench.state, to: &text)
    debugPrint(receipt, bench.state as Any, to: &text)
    #expect(!text.contains("files-secret"))
  }

  // MARK: Ends

  @Test(
    "A pause is a cancellation: a cancelled task ends the upload in a chunk or a wait, and keeps the state")
  func paused() async throws {
    let tus = MockTus()
    for inWait in [false, true] {
      let clock = TestClock()
      let transport = MockTransport(clock: clock) { request in
        guard request.number == 2 else { return tus.answer(to: request) }
        return inWait ? .status(503) : .status(204).delayed(by: .seconds(50))
      }
      var configuration = AgentConfiguration()
      configuration.clock = AgentClock(clock)
      let agent = RequestAgent(
        baseURL: "https://mocked.example", transport: transport, configuration: configuration)
      let states = Recorder()
      let task = Task { [content] in
        try await agent.upload(
          .data(content), to: .post("files"), by: .tus(), stateChanged: { states.add("\($0)") })
      }
      await clock.waitForSleeps()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(states.events == ["tus upload, 0 of 250000 bytes"])
      #expect(agent.liveCount == 0 && agent.groups.count == 0 && transport.requests.count == 2)
    }
  }

  private struct Broken: Encodable {
    struct Fault: Error {}
    func encode(to encoder: any Encoder) throws { throw Fault() }
  }

  @Test("An error that a type of the app throws while the body is encoded is an error of the upload")
  func unencodable() async throws {
    let transport = MockTransport { _ in .status(200) }
    let agent = RequestAgent.mocked(by: transport)
    let error = try await #require(throws: RequestError.self) {
      try await agent.upload(.json(Broken()), to: .post("files"), by: .tus())
    }
    #expect(error.kind == .encoding && error.stage == .build && error.reason == "Fault()")
    #expect(error.cause is Broken.Fault && transport.requests.isEmpty)
  }

  @Test("cancelAll ends the upload, in a chunk and in a wait", arguments: [false, true])
  func cancelAll(inWait: Bool) async throws {
    let tus = MockTus()
    let clock = TestClock()
    let transport = MockTransport(clock: clock) { request in
      guard request.number == 2 else { return tus.answer(to: request) }
      return inWait ? .status(503) : .status(204).delayed(by: .seconds(50))
    }
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    let agent = RequestAgent(
      baseURL: "https://mocked.example", transport: transport, configuration: configuration)
    let task = Task { [content] in
      try await agent.upload(.data(content), to: .post("files"), by: .tus())
    }
    await clock.waitForSleeps()
    agent.cancelAll()
    let error = await #expect(throws: RequestError.self) { try await task.value }
    #expect(error?.kind == .cancelled)
    #expect(agent.liveCount == 0 && agent.groups.count == 0 && transport.requests.count == 2)
  }

  // MARK: On sockets

  @Test("Cut at any byte on a socket the upload continues, and at most a chunk is sent twice")
  func cut() async throws {
    let (server, tus) = (try MockServer(), MockTus())
    server.route(nil, "/files", answer: tus.answer)
    server.route(nil, "/files/*", answer: tus.answer)
    var random = SeededGenerator(seed: 8)
    let cuts = CutUploads(DefaultTransport.make(), after: (0..<10).map { _ in random.below(40_000) })
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock(autoAdvances: true))
    let agent = RequestAgent(baseURL: server.baseURL, transport: cuts, configuration: configuration)
    let file = try directory.file("a.bin", content)
    let receipt = try await agent.upload(
      .file(file), to: .post("files"), by: .tus(chunkSize: 30_000), maxFailures: 20)
    #expect(receipt.size == 250_000 && cuts.cutsLeft == 0)
    #expect(tus.uploads.map(\.data) == [content])
    server.stop()
  }

  #if os(Linux)
  @Test("Killed at any byte the next process continues, and the server has the exact file")
  func killed() async throws {
    let kills = ProcessInfo.processInfo.environment["ERRAND_UPLOAD_KILLS"].flatMap { Int($0) } ?? 20
    let (server, tus) = (try MockServer(), MockTus())
    server.route(nil, "/files", answer: tus.answer)
    server.route(nil, "/files/*", answer: tus.answer)
    defer { server.stop() }
    let content = UploadBench.content(kills * 60_000)
    let file = try directory.file("a.bin", content)
    let state = directory.url.appendingPathComponent("state.json")
    let probe = Compiler.products.appendingPathComponent("ExitProbe")
    let url = server.baseURL.appendingPathComponent("files").absoluteString
    var random = SeededGenerator(seed: 100)
    var patched = 0
    for _ in 0..<kills {
      let count = random.below(150_000)
      #expect(
        try await Compiler.run(probe.path, ["upload", file.path, url, state.path, "\(count)"]) == (9, ""))
      let complete = server.requestCount(.patch, "/files/*")
      // Counts complete chunks of 100,000 bytes.
      #expect(complete - patched == count / 100_000)
      patched = complete
    }
    #expect(
      try await Compiler.run(probe.path, ["upload", file.path, url, state.path, "-"]) == (
        0, "\(content.count)\n"
      ))
    #expect(tus.uploads.map(\.data) == [content])
  }
  #endif
}
