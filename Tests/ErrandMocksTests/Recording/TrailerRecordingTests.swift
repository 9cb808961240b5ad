import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("Request trailers in recordings and forwarding transports")
struct TrailerRecordingTests {
  let folder = RecordingFolder()

  private func request(_ body: RequestBody, _ trailers: RequestTrailers) throws -> TransportRequest {
    var request = HTTPRequest(url: try #require(URL(string: "https://h/up")), method: .post, body: body)
    request.trailers = trailers
    return TransportRequest(request)
  }

  /// Returns computed trailers, and counts the computations.
  private static func length(_ calls: CallCount) -> RequestTrailers {
    .computed(from: 0, adding: { $0 += $1.count }) { count in
      calls.add()
      return ["X-Length": "\(count)", "X-Api-Key": "hunter2"]
    }
  }

  final class CallCount: Sendable {
    private let calls = Locked(0)
    var count: Int { calls.withLock { $0 } }
    func add() { calls.withLock { $0 += 1 } }
  }

  private static func stream() -> RequestBody {
    .stream(
      AsyncStream<Data> { chunks in
        chunks.yield(Data("hello".utf8))
        chunks.finish()
      })
  }

  @Test(
    "Trailers are computed once, sent, and recorded with redacted secrets; replayed requests also compute trailers"
  )
  func recorded() async throws {
    let (server, calls) = (MockTransport { .text($0.text) }, CallCount())
    let recording = try RecordingTransport(folder.file(), mode: .recordAll, over: server)
    for body in [Self.stream(), .text("hello"), .none] {
      let answer = try await recording.send(try request(body, Self.length(calls)))
      for try await _ in answer.body {}
    }
    try recording.save()
    #expect(calls.count == 3)
    #expect(server.requests.map { $0.trailers["X-Length"] } == ["5", "5", "0"])
    #expect(server.requests.map(\.text) == ["hello", "hello", ""])
    let text = try folder.text()
    #expect(!text.contains("hunter2") && text.components(separatedBy: "_trailers").count == 4)

    let replay = try RecordingTransport(folder.file())
    _ = try await replay.send(try request(Self.stream(), Self.length(calls)))
    #expect(calls.count == 4)
    struct Broken: Error {}
    await #expect(throws: Broken.self) {
      _ = try await replay.send(try request(Self.stream(), .computed { throw Broken() }))
    }
  }

  @Test("errand-har reports and redacts secrets in trailers")
  func cleaned() throws {
    let file = try folder.write(
      #"""
      {"log":{"entries":[{"request":{"method":"POST","url":"https://h/up","_trailers":[{"name":"X-Sum","value":"5"},
      {"name":"X-Api-Key","value":"hunter2"}]},"response":{"status":204}}]}}
      """#)
    var lines: [String] = []
    #expect(HARCommand.run(["check", file.path]) { lines.append($0) } == 1)
    #expect(
      lines.first
        == "entry 1, POST https://h/up: secrets are visible: X-Api-Key of the request's trailers")
    _ = HARCommand.run(["clean", file.path]) { _ in }
    let text = try folder.text()
    #expect(text.contains("X-Sum") && !text.contains("hunter2"))
  }

  @Test("A mock forwards computed trailers, and a body that can be read once")
  func handedOn() async throws {
    let (server, calls) = (MockTransport { .text($0.text) }, CallCount())
    let mock = MockTransport(passing: PassThrough(to: server))
    #expect(mock.capabilities.sendsTrailers)
    let answer = try await mock.send(try request(Self.stream(), Self.length(calls)))
    for try await _ in answer.body {}
    #expect(calls.count == 1 && server.requests.map(\.trailers) == mock.requests.map(\.trailers))
    #expect(server.requests.map { $0.trailers["X-Length"] } == ["5"])
  }

  @Test(
    "A stream with a wrong length is neither sent nor recorded, and uses no entry",
    arguments: [4, 6] as [Int64])
  func wrongLength(_ length: Int64) async throws {
    let server = MockTransport { .text($0.text) }
    let recording = try RecordingTransport(folder.file(), mode: .recordAll, over: server)
    for try await _ in try await recording.send(try request(.text("hello"), .none)).body {}
    try recording.save()
    let replay = try RecordingTransport(folder.file())
    for trailers in [RequestTrailers.none, .computed { ["X-Sum": "1"] }] {
      for transport in [recording, replay] {
        let stream = AsyncStream<Data> { chunks in
          chunks.yield(Data("hello".utf8))
          chunks.finish()
        }
        let error = await #expect(throws: TransportError.self) {
          _ = try await transport.send(try request(.stream(stream, length: length), trailers))
        }
        #expect(error?.kind == .encoding)
      }
    }
    #expect(server.requests.count == 1 && replay.unusedEntries.count == 1)
  }
}
