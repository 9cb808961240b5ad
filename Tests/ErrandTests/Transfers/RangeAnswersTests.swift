import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Partial responses to downloads", .timeLimit(.minutes(5)))
struct RangeAnswersTests {
  private let directory = TemporaryDirectory()
  private let content = Data(0..<100)
  private var destination: URL { directory.url.appendingPathComponent("file.bin") }

  private func run(_ answers: MockAnswer...) async throws -> [String] {
    let rest = Locked(answers)
    let transport = MockTransport { _ in rest.withLock { $0.removeFirst() }.header("ETag", "\"v1\"") }
    let agent = RequestAgent.mocked(by: transport)
    var told: [String] = []
    for _ in answers {
      var end = ""
      do {
        let file = try await agent.download(.get("file"), to: destination, resumes: true)
        end = "\(file.size) bytes"
        #expect(try Data(contentsOf: destination) == content)
        #expect(try directory.files == ["file.bin"])
      } catch let error as RequestError {
        end = "\(error.kind): \(error.reason)"
        #expect(!FileManager.default.fileExists(atPath: destination.path))
      }
      told.append("\(transport.requests.last?.headers["Range"] ?? "all") \(end)")
    }
    return told
  }

  private var cut: MockAnswer { .data(content).fault(.truncated(after: 50)) }

  private func range(_ field: String, _ bytes: Range<Int>) -> MockAnswer {
    .data(content[bytes], status: 206).header("Content-Range", field)
  }

  @Test("If a range has no total length, the length of the first response counts")
  func rememberedLength() async throws {
    let told = try await run(cut, range("bytes 49-99/*", 49..<100))
    #expect(told.last == "bytes=49- 100 bytes")
  }

  @Test(
    "A range without the tag, and a response without content, are refused, and the latter keeps the partial file"
  )
  func others() async throws {
    let transport = MockTransport { [content, cut] request in
      switch request.number {
      case 1: cut.header("ETag", "\"v1\"")
      case 2: .status(204)
      case 3: .data(content[49..<100], status: 206).header("Content-Range", "bytes 49-99/100")
      default: .data(content)
      }
    }
    let agent = RequestAgent.mocked(by: transport)
    var told: [String] = []
    for _ in 1...4 {
      do {
        told.append("\(try await agent.download(.get("file"), to: destination, resumes: true).size) bytes")
      } catch let error as RequestError {
        told.append(error.reason)
      }
    }
    #expect(
      told.dropFirst() == [
        "the response with status 204 No Content has no file; the bytes already downloaded are kept",
        "the received range, bytes 49-99/100, does not continue the 50 bytes already downloaded; the next request starts from the beginning",
        "100 bytes",
      ])
  }

  @Test("An unrequested range is not the whole file, and the old file stays")
  func unrequested() async throws {
    try content.write(to: destination)
    let transport = MockTransport { [content] _ in
      .data(content[3..<6], status: 206).header("Content-Range", "bytes 3-5/100")
    }
    let agent = RequestAgent.mocked(by: transport)
    let error = try await #require(throws: RequestError.self) {
      try await agent.download(.get("file"), to: destination)
    }
    #expect(error.kind == .invalidResponse)
    #expect(error.reason == "the server sent a range, bytes 3-5/100, although the request has no Range")
    #expect(try Data(contentsOf: destination) == content)
    let ranged = OneOffRequest<Void>.get("file", headers: ["Range": "bytes=3-5"])
    #expect(try await agent.download(ranged, to: destination).size == 3)
  }

  private struct Numbers: Request {
    typealias Response = [Int]
    var path = "file"
    var headers: HTTPHeaders = [:]
    var mockPolicy: MockPolicy = .never
    var mock: HTTPResponse?

    func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
      mock
    }
  }

  /// `nil` if the response is the whole file.
  static let unasked: [(field: String?, told: String?)] = [
    ("bytes 0-5/500", "bytes 0-5/500"), ("bytes 1-6/7", "bytes 1-6/7"), ("bytes 0-5/*", "bytes 0-5/*"),
    ("bytes 0-5/7", "bytes 0-5/7"), ("lines 0-5/6", "lines 0-5/6"), (nil, "none"), ("bytes 0-5/6", nil),
  ]

  @Test("An unrequested range is an error of every request for the whole", arguments: unasked)
  func unaskedRange(_ row: (field: String?, told: String?)) async throws {
    var answer = MockAnswer.text("[1, 2]", status: 206).header("Content-Type", "application/json")
    if let field = row.field { answer = answer.header("Content-Range", field) }
    var configuration = AgentConfiguration()
    configuration.allowsMocks = true
    let agent = RequestAgent.mocked(by: MockTransport { [answer] _ in answer }, configuration: configuration)
    let mock = HTTPResponse(
      status: 206, headers: row.field.map { ["Content-Range": $0] } ?? [:], body: Data("[1, 2]".utf8))
    let destination = destination
    let ways: [@Sendable () async throws -> String] = [
      { "\(try await agent.send(Numbers()))" },
      { "\(try await agent.send(Numbers(mockPolicy: .always, mock: mock)))" },
      { "\(try await agent.send(OneOffRequest<Void>.get("file").with(\.validators, [])))" },
      { String(decoding: try await agent.stream(Numbers()).body.all(), as: UTF8.self) },
      { "\(try await agent.download(Numbers(), to: destination).size)" },
      { "\(try await agent.download(Numbers(), to: destination, resumes: true).size)" },
    ]
    var told: [String] = []
    for way in ways {
      do { told.append(try await way()) } catch let error as RequestError {
        told.append("\(error.kind) at \(error.stage): \(error.reason)")
      }
    }
    let refusal = row.told.map {
      "invalidResponse at validate: the server sent a range, \($0), although the request has no Range"
    }
    #expect(
      told
        == (refusal.map { Array(repeating: $0, count: 6) } ?? ["[1, 2]", "[1, 2]", "()", "[1, 2]", "6", "6"]))
    // A request with its own `Range` gets the partial response.
    let ranged = Numbers(headers: ["Range": "bytes=0-4"])
    #expect(try await agent.send(ranged) == [1, 2])
  }

  /// A 206 with five bytes; `problem` is `nil` for no problem.
  static let lengths: [(field: String, isAsked: Bool, problem: String?)] = [
    ("bytes 0-499/500", false, "ended after 5 of the 500"), ("bytes 0-3/4", false, "has more than the 4"),
    (
      "bytes 0-9223372036854775805/9223372036854775806", false,
      "ended after 5 of the 9223372036854775806"
    ),
    ("bytes 10-15/500", true, "ended after 5 of the 6"), ("bytes 10-13/*", true, "has more than the 4"),
    ("bytes 0-4/5", false, nil), ("bytes 10-14/*", true, nil), ("lines 0-1/2", true, nil),
  ]

  @Test(
    "The body of a 206 has the length of its range, or is an error for every reader", arguments: lengths)
  func length(_ row: (field: String, isAsked: Bool, problem: String?)) async throws {
    let answer = MockAnswer.chunks([Data("[1".utf8), Data(",2]".utf8)], status: 206)
      .header("Content-Type", "application/json").header("Content-Range", row.field)
      .header("ETag", "\"v1\"").header("Cache-Control", "max-age=60")
    let cache = MemoryCache()
    var cached = AgentConfiguration()
    (cached.cache, cached.cachePolicy) = (cache, .standard)
    var mocked = AgentConfiguration()
    mocked.allowsMocks = true
    let transport = MockTransport { _ in answer }
    let (agent, caching) = (
      RequestAgent.mocked(by: transport, configuration: mocked),
      RequestAgent.mocked(by: transport, configuration: cached)
    )
    let headers: HTTPHeaders = row.isAsked ? ["Range": "bytes=10-15"] : [:]
    let mock = HTTPResponse(
      status: 206, headers: ["Content-Range": row.field], body: Data("[1,2]".utf8))
    let (numbers, destination) = (Numbers(headers: headers), destination)
    let text = OneOffRequest<String>.get("file", headers: headers, as: String.self)
    let ways: [@Sendable () async throws -> String] = [
      { "\(try await agent.send(numbers))" }, { try await agent.send(text) },
      { "\(try await agent.send(Numbers(headers: headers, mockPolicy: .always, mock: mock)))" },
      { String(decoding: try await agent.stream(numbers).body.all(), as: UTF8.self) },
      { "\(try await agent.download(numbers, to: destination).size)" },
      { "\(try await agent.download(numbers, to: destination, resumes: true).size)" },
      { "\(try await caching.send(numbers))" }, { "\(try await caching.send(numbers))" },
    ]
    var told: [String] = []
    for way in ways {
      do { told.append(try await way()) } catch let error as RequestError {
        told.append("\(error.kind) at \(error.stage): \(error.reason)")
      }
    }
    let failure = row.problem.map {
      "invalidResponse at transport: the body \($0) bytes of its Content-Range, \(row.field)"
    }
    #expect(
      told
        == (failure.map { Array(repeating: $0, count: 8) }
          ?? ["[1, 2]", "[1,2]", "[1, 2]", "[1,2]", "5", "5", "[1, 2]", "[1, 2]"]))
    #expect(try directory.files == (row.problem == nil ? ["file.bin"] : []))
  }

  @Test("A coded body, and a response to HEAD, are not counted")
  func uncounted() async throws {
    let agent = RequestAgent.mocked(
      by: MockTransport { _ in
        .text("coded", status: 206).header("Content-Range", "bytes 0-9/10")
          .header("Content-Encoding", "rot13")
      })
    #expect(try await agent.send(.get("file", as: String.self)) == "coded")
    let heading = RequestAgent.mocked(
      by: MockTransport { _ in .status(206).header("Content-Range", "bytes 0-9/10") })
    #expect(try await heading.send(.head("file")).status.code == 206)
  }

  @Test("Several unrequested ranges are an error")
  func unaskedRanges() async throws {
    let parts = [BodyPart(headers: ["Content-Range": "bytes 0-1/9"], body: .text("ab"))]
    let answer = MockAnswer.multipart(parts, type: .byteranges, status: 206)
    let agent = RequestAgent.mocked(by: MockTransport { _ in answer })
    let error = await #expect(throws: RequestError.self) {
      try await agent.send(OneOffRequest<Data>.get("file", as: Data.self))
    }
    #expect(error?.reason == "the server sent a range, none, although the request has no Range")
    #expect(error?.kind == .invalidResponse && error?.attempts == 1)
  }

  @Test("A range with an unknown total length is refused")
  func unknownLength() async throws {
    let unframed = MockAnswer.chunks([content.prefix(50), content.dropFirst(50)]).fault(.truncated(after: 50))
    let told = try await run(unframed, range("bytes 49-99/*", 49..<100), .data(content))
    #expect(
      told.dropFirst() == [
        "bytes=49- invalidResponse: the received range, bytes 49-99/*, does not state the total length; the next "
          + "request starts from the beginning", "all 100 bytes",
      ])
  }

  @Test(
    "A range shorter than the remainder is kept, and the download continues after the range",
    arguments: ["bytes 49-69/100", "bytes 49-69/*"])
  func short(field: String) async throws {
    let told = try await run(cut, range(field, 49..<70), range("bytes 69-99/100", 69..<100))
    #expect(
      told.dropFirst() == [
        "bytes=49- invalidResponse: the received range is too short: 70 of 100 bytes are downloaded; the next request "
          + "continues after these bytes", "bytes=69- 100 bytes",
      ])
  }

  @Test("A range that ends early is kept, and the download continues after the received bytes")
  func shorterThanSaid() async throws {
    let chunks = MockAnswer.chunks([content[49..<70]], status: 206).header("Content-Range", "bytes 49-99/*")
    let told = try await run(cut, chunks, range("bytes 69-99/100", 69..<100))
    #expect(
      told.dropFirst() == [
        "bytes=49- invalidResponse: the received range is too short: 70 of 100 bytes are downloaded; the next request "
          + "continues after these bytes", "bytes=69- 100 bytes",
      ])
  }

  @Test("A range without new bytes is not requested again")
  func nothingNew() async throws {
    let told = try await run(cut, range("bytes 49-49/100", 49..<50), .data(content))
    #expect(
      told.dropFirst() == [
        "bytes=49- invalidResponse: the received range is too short: 50 of 100 bytes are downloaded; the next request starts "
          + "from the beginning", "all 100 bytes",
      ])
  }

  @Test("More bytes than announced are refused")
  func long() async throws {
    let told = try await run(cut, range("bytes 49-69/100", 49..<100), .data(content))
    #expect(
      told.dropFirst() == [
        "bytes=49- invalidResponse: the server sent more bytes than the announced range, which ends after 70 bytes; the next "
          + "request starts from the beginning", "all 100 bytes",
      ])
  }

  @Test("A whole of another length is another file, for any validator")
  func otherLength() async throws {
    let told = try await run(cut, range("bytes 49-98/99", 49..<99), .data(content))
    #expect(
      told.dropFirst() == [
        "bytes=49- invalidResponse: the received range, bytes 49-98/99, does not continue the 50 bytes already downloaded; "
          + "the next request starts from the beginning", "all 100 bytes",
      ])
  }

  @Test("A range that starts earlier is used from its start")
  func earlier() async throws {
    let told = try await run(cut, range("bytes 10-99/100", 10..<100))
    #expect(told.last == "bytes=49- 100 bytes")
  }

  @Test("Surplus bytes after the whole do not count, and no range after the end is requested")
  func tooMany() async throws {
    _ = try await run(cut)
    let part = try #require(try directory.files.first { $0.hasSuffix(".part") })
    try FileChange.append(content, to: directory.url.appendingPathComponent(part))
    #expect(try await run(.data(content)) == ["all 100 bytes"])
  }
}
