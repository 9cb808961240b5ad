import ErrandJSON
import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandHARFormat
@testable import ErrandLogs

@Suite("The HAR file of a session")
struct HARLoggerTests {
  let folder = TemporaryDirectory()
  var file: URL { folder.url.appendingPathComponent("session.har") }

  func log() throws -> HARFile.Log { try JSONCoding().decode(HARFile.self, from: Data(contentsOf: file)).log }

  static func agent(_ logger: HARLogger, _ stubs: Stub...) -> RequestAgent {
    RequestAgent.mocked(
      by: MockTransport(stubs, clock: TestClock(autoAdvances: true)), accessories: [logger],
      configuration: AgentConfiguration())
  }

  @Test("Bodies of both directions are kept redacted, and the file is complete after each flush")
  func bodies() async throws {
    let logger = HARLogger(file)
    let agent = Self.agent(
      logger, Stub(.post, "/login", answers: .json(#"{"token":"s3cret","id":7}"#)),
      Stub(.get, "/image", answers: .data(DisplayableBodyTests.png, contentType: "image/png")))
    try await agent.send(
      .post("login", parameters: ["user": "ada", "password": "s3cret"], as: JSONValue.self))
    try await logger.flush()
    #expect(try log().entries.map(\.request.url) == ["https://mocked.example/login"])
    try await agent.send(.get("image", as: Data.self))
    try await logger.flush()
    let entries = try log().entries
    #expect(
      entries.map { "\($0.request.method) \($0.response.status) \($0.response.content.size)" } == [
        "POST 200 29", "GET 200 8",
      ])
    #expect(entries[0].request.postData?.text == "user=ada&password=<redacted>")
    #expect(entries[0].response.content.text == #"{"token":"<redacted>","id":7}"#)
    #expect(entries[1].response.content.text == DisplayableBodyTests.png.base64EncodedString())
    #expect(entries[1].response.content.encoding == "base64")
    #expect(logger.droppedCount == 0)
    #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
  }

  @Test("A known secret is redacted in binary bodies")
  func binary() throws {
    let redaction = Redaction.standard.hiding(secrets: [Secret("s3cret-value")])
    let bytes = Data([0, 0xFF]) + Data("s3cret-value".utf8) + Data([0xFE])
    let text = HARText(bytes, type: "application/octet-stream", redaction: redaction)
    #expect(text.encoding == "base64")
    #expect(text.bytes(type: nil) == Data([0, 0xFF]) + Data(Redaction.marker.utf8) + Data([0xFE]))
    let plain = HARText(bytes, type: nil, redaction: .standard)
    #expect(plain.bytes(type: nil) == bytes)
  }

  @Test("Redirects have their sent requests")
  func redirects() async throws {
    let logger = HARLogger(file)
    let agent = Self.agent(
      logger,
      Stub(.post, "/a", answers: .status(307).header("Location", "/b")),
      Stub(.post, "/b", answers: .text("ok")))
    try await agent.send(.post("a", parameters: ["x": 1], as: String.self))
    try await logger.flush()
    #expect(
      try log().entries.map {
        "\($0.request.method) \($0.request.postData?.text ?? "") \($0.response.status)"
      }
        == ["POST x=1 307", "POST x=1 200"])
  }

  @Test("Bodies over the limit, streams and files are counted in both directions")
  func bound() async throws {
    let logger = HARLogger(file, bodyLimit: 4)
    let agent = Self.agent(
      logger, Stub(.post, "/a", answers: .text("12345")), Stub(.get, "/s", answers: .text("123")))
    try await agent.send(
      OneOffRequest<String>("a", method: .post, body: .text("abcdef"), response: .text))
    for try await _ in try await agent.stream(.get("s")).body {}
    try await logger.flush()
    let entries = try log().entries
    #expect(entries[0].response.content.text == "" && entries[0].response.content.size == 5)
    #expect(entries[0].response.content.comment == "The body of 5 bytes was not recorded.")
    #expect(entries[0].request.postData?.comment == "The body of 6 bytes was not recorded.")
    #expect(entries[0].request.bodySize == -1)
    #expect(entries[1].response.content.comment == "The body of 3 bytes was not recorded.")
  }

  @Test("Failures and cancellations are logged, and unbuilt requests are not")
  func failures() async throws {
    let logger = HARLogger(file)
    let agent = RequestAgent(
      baseURL: "https://mocked.example",
      transport: FunctionTransport { request, _ in
        if request.url.path == "/lost" { throw TransportError(.connectionLost, "the line broke") }
        withUnsafeCurrentTask { $0?.cancel() }
        throw CancellationError()
      }, accessories: [logger])
    _ = try? await agent.send(.get("lost"))
    await Task { _ = try? await agent.send(.get("cancelled")) }.value
    _ = try? await RequestAgent(accessories: [logger]).send(.get("unbuilt"))
    try await logger.flush()
    #expect(
      try log().entries.map { "\($0.request.url.suffix(9)) \($0.response.status) \($0.response.error ?? "")" }
        == ["mple/lost 0 connectionLost: the line broke", "cancelled 0 cancelled"])
  }

  @Test("Dropped dispatches are counted in the file")
  func drops() async throws {
    for capacity in [1, 2] {
      let writer = HARWriter(HAROutput(file), capacity: capacity)
      try await drop(by: writer, leaving: 5 - capacity)
    }
  }

  /// The writer blocks on the first entry until the other four are added.
  private func drop(by writer: HARWriter, leaving dropped: Int) async throws {
    let (begun, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    writer.add {
      begun.signal()
      go.wait()
      return []
    }
    await withCheckedContinuation { done in
      DispatchQueue.global().async {
        begun.wait()
        done.resume()
      }
    }
    for _ in 0..<4 { writer.add { [] } }
    #expect(writer.droppedCount == dropped)
    go.signal()
    try await writer.flush()
    #expect(
      String(decoding: try Data(contentsOf: file), as: UTF8.self).contains("Dispatches left out: \(dropped).")
    )
    #expect(try log().entries.isEmpty)
  }

  @Test("A write error is thrown by flush once, and lost dispatches are counted")
  func unwritable() async throws {
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    let logger = HARLogger(file)
    let agent = Self.agent(logger, Stub(.get, "/a", answers: .text("ok")))
    try await agent.send(.get("a"))
    let error = try await #require(throws: TransportError.self) { try await logger.flush() }
    #expect(error.kind == .file)
    #expect(error.message == "the HAR file \(file.path) cannot be written: Is a directory")
    #expect(logger.problem == "The HAR file \(file.path) cannot be written: Is a directory.")
    #expect(logger.droppedCount == 1)
    try await logger.flush()
    // Once the file is writable, later dispatches are logged.
    try FileManager.default.removeItem(at: file)
    try await agent.send(.get("a"))
    try await logger.flush()
    #expect(try log().entries.count == 1)
    #expect(logger.problem == nil)
    #expect(String(decoding: try Data(contentsOf: file), as: UTF8.self).contains("Dispatches left out: 1."))
  }

  @Test("Concurrent dispatches are all logged, and the logs of several agents stay separate")
  func crowd() async throws {
    let logger = HARLogger(file, capacity: 1000)
    let agents = (0..<4).map { _ in Self.agent(logger, Stub(.get, "/**", answers: .text("ok"))) }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask { _ = try? await agents[number % 4].send(.get("n/\(number)")) }
      }
    }
    try await logger.flush()
    let urls = try log().entries.map(\.request.url)
    #expect(urls.count == 200 && Set(urls).count == 200 && logger.droppedCount == 0)
  }

  @Test("A second logger for a file writes nothing, and reports an error")
  func second() async throws {
    let (first, second) = (HARLogger(file), HARLogger(file))
    let others = Self.agent(second, Stub(.get, "/**", answers: .text("ok")))
    for path in ["a", "b"] {
      try await Self.agent(first, Stub(.get, "/**", answers: .text("ok"))).send(.get(path))
      try await first.flush()
      try await others.send(.get("c"))
      let error = await #expect(throws: TransportError.self) { try await second.flush() }
      #expect(
        error?.message == "the HAR file \(file.path) cannot be written: another HARLogger writes to the file")
    }
    #expect(
      second.problem == "The HAR file \(file.path) cannot be written: another HARLogger writes to the file.")
    #expect(second.droppedCount == 2)
    #expect(try log().entries.map(\.request.url.last) == ["a", "b"])
    #expect(first.problem == nil)
  }
}
