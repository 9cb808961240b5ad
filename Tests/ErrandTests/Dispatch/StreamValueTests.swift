import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Streams: delivered values")
struct StreamValueTests {
  private static let chunks = ["he", "ll", "o"].map { Data($0.utf8) }

  private static func limits(_ bytes: Int) -> TransferLimits {
    var limits = TransferLimits()
    limits.bodySize = bytes
    return limits
  }

  @Test("Chunks are delivered as received, and length and trailers are in the final report")
  func report() async throws {
    let agent = RequestAgent.mocked(
      Stub(.get, "/x", answers: .chunks(Self.chunks).trailers(["Checksum": "5"])))
    let response = try await agent.stream(.get("x"))
    #expect(response.head.trailers == [:])
    var read: [Data] = []
    for try await chunk in response.body { read.append(chunk) }
    #expect(read == Self.chunks)
    let report = try #require(response.report)
    #expect(report.attempts.map(\.bodyLength) == [5])
    #expect(report.response?.trailers == ["Checksum": "5"])
    #expect(report.response?.body.isEmpty == true)
    #expect(response.body.summary.trailers == ["Checksum": "5"])
  }

  @Test("A data URL and an empty body can be streamed")
  func small() async throws {
    let agent = RequestAgent.mocked(Stub(.get, "/x", answers: .status(204)))
    #expect(try await agent.stream(.get("data:text/plain,hello")).body.all() == Data("hello".utf8))
    let response = try await agent.stream(.get("x"))
    #expect(try await response.body.all() == Data())
    #expect(response.report?.outcome.value != nil)
    #expect(agent.liveCount == 0)
  }

  @Test("A request of any value can be streamed, and accepts the types of its value")
  func anyValue() async throws {
    struct Numbers: Request {
      typealias Response = [Int]
      let path = "x"
      var validators: [any ResponseValidator] {
        [.contentType, .json(["a": .integer]), .validate { _, _ in throw ProbeError(stage: "body") }]
      }
    }
    let transport = MockTransport { _ in .json("[1,2]") }
    let agent = RequestAgent.mocked(by: transport)
    #expect(try await agent.stream(Numbers()).body.all() == Data("[1,2]".utf8))
    #expect(transport.requests.first?.headers["Accept"] == "application/json")
    let text = RequestAgent.mocked(by: MockTransport { _ in .text("[1,2]") })
    let error = try await #require(throws: RequestError.self) { try await text.stream(Numbers()) }
    #expect(error.kind == .contentType && error.response?.body == Data("[1,2]".utf8))
  }

  @Test("The size limit applies, and the chunk over the limit is not delivered")
  func bodySize() async throws {
    let transport = MockTransport { _ in .chunks(Self.chunks) }
    let agent = RequestAgent.mocked(by: transport)
    let request = OneOffRequest.get("x").with(\.retryPolicy, .upTo(3))
    #expect(try await agent.stream(request.with(\.limits, Self.limits(5))).body.all().count == 5)

    let response = try await agent.stream(request.with(\.limits, Self.limits(4)))
    var read = Data()
    let error = try await #require(throws: RequestError.self) {
      for try await chunk in response.body { read.append(chunk) }
    }
    #expect(error.kind == .limitExceeded && error.stage == .transport && error.attempts == 1)
    #expect(error.reason == "the body is longer than limits.bodySize, 4 bytes")
    #expect(read == Data("hell".utf8))
    #expect(response.report?.attempts.map(\.bodyLength) == [4])
    #expect(agent.liveCount == 0)
  }

  @Test("A body is read once, and a second reader gets an error without affecting the first")
  func twice() async throws {
    let agent = RequestAgent.mocked(by: MockTransport { _ in .chunks(Self.chunks) })
    let response = try await agent.stream(.get("x?token=s3cret"))
    var first = response.body.makeAsyncIterator()
    #expect(try await first.next() == Data("he".utf8))
    let error = try await #require(throws: RequestError.self) { try await response.body.all() }
    #expect(error.reason == "the body of the response can be read once, and was read before")
    #expect(!"\(error)".contains("s3cret"))
    #expect(try await first.next() == Data("ll".utf8))
    #expect(try await first.next() == Data("o".utf8))
    #expect(try await first.next() == nil)
    await #expect(throws: RequestError.self) { try await response.body.all() }
    #expect(response.report?.outcome.word == "success")
  }

  @Test("A printed response shows neither fields nor bytes")
  func printed() async throws {
    let agent = RequestAgent.mocked(by: MockTransport { _ in .text("s3cret").header("Set-Cookie", "s3cret") })
    let response = try await agent.stream(.get("x"))
    _ = try await response.body.all()
    var dumped = ""
    dump(response, to: &dumped)
    #expect("\(response)" == "200 OK, streamed" && String(reflecting: response) == "200 OK, streamed")
    #expect(!dumped.contains("s3cret"))
  }
}
