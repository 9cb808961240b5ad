import Foundation
import Testing

@testable import Errand

@Suite("Bodies of requests")
struct RequestBodyTests {
  static func read(_ body: RequestBody) async throws -> [String] {
    guard case .stream(let stream, _) = body.content else { return [] }
    var chunks: [String] = []
    for try await chunk in stream { chunks.append(String(decoding: chunk, as: UTF8.self)) }
    return chunks
  }

  static func chunks(_ texts: String...) -> AsyncStream<Data> {
    AsyncStream { stream in
      for text in texts { stream.yield(Data(text.utf8)) }
      stream.finish()
    }
  }

  @Test("Each kind has its length, its type, and whether it is replayable")
  func kinds() {
    let bodies: [RequestBody] = [
      .automatic, .none, .data(Data("abc".utf8)), .text("é"), .json([1]), .stream(Self.chunks(), length: 5),
      .stream { Self.chunks() },
    ]
    #expect(bodies.map(\.length) == [0, 0, 3, 2, nil, 5, nil])
    #expect(
      bodies.map(\.contentType) == [nil, nil, nil, "text/plain; charset=utf-8", "application/json", nil, nil])
    #expect(bodies.map(\.isReplayable) == [true, true, true, true, true, false, true])
    #expect(
      bodies.map(\.description) == [
        "automatic", "none", "3 bytes", "2 bytes", "JSON, not encoded yet", "stream of 5 bytes",
        "stream of unknown length",
      ])
  }

  @Test("A stream delivers its chunks without empty chunks, and restarts if replayable")
  func streams() async throws {
    let once = RequestBody.stream(Self.chunks("a", "", "bc", ""))
    #expect(try await Self.read(once) == ["a", "bc"])
    let again = RequestBody.stream { Self.chunks("a", "", "bc") }
    for _ in 1...2 { #expect(try await Self.read(again) == ["a", "bc"]) }
  }

  @Test("A one-shot stream is an error the second time, not an empty body")
  func secondTime() async throws {
    let body = RequestBody.stream(Self.chunks("a"))
    #expect(try await Self.read(body) == ["a"])
    await #expect(throws: TransportError(.encoding, "the body stream can be sent once, and was sent before"))
    {
      try await Self.read(body)
    }
  }

  @Test("A stream in many concurrent dispatches goes to a single dispatch completely, and the others fail")
  func concurrently() async throws {
    let texts = (0..<100).map(String.init)
    let body = RequestBody.stream(
      AsyncStream<Data> { stream in
        for text in texts { stream.yield(Data(text.utf8)) }
        stream.finish()
      })
    let results = await withTaskGroup(of: [String]?.self) { group in
      for _ in 0..<16 { group.addTask { try? await Self.read(body) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.compactMap(\.self) == [texts])
  }
}
