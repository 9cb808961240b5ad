#if os(Linux)
import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Curl: progress")
struct CurlProgressTests {
  private struct Call: Request {
    typealias Response = Data
    var path = "a"
    var method = HTTPMethod.get
    var body: RequestBody = .automatic
  }

  static let bytes = Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

  let server: MockServer

  init() throws { server = try MockServer() }

  private func seen(_ call: Call) async throws -> [TransferProgress] {
    let handle = RequestAgent(baseURL: server.baseURL).start(call, suspended: true)
    let task = Task {
      var seen: [TransferProgress] = []
      for await progress in handle.progress { seen.append(progress) }
      return seen
    }
    handle.resume()
    _ = try await handle.value
    return await task.value
  }

  private func check(_ seen: [TransferProgress]) {
    let order: [TransferProgress.Phase] = [.waiting, .sending, .receiving]
    let places = seen.map { (order.firstIndex(of: $0.phase) ?? 0, $0.completed) }
    #expect(zip(places, places.dropFirst()).allSatisfy { $0 <= $1 })
  }

  @Test("For a coded body the received bytes are counted, which match its length")
  func coded() async throws {
    server.route(.get, "/a", answers: MockAnswer.data(Self.bytes).gzipped())
    let head = try await RequestAgent(baseURL: server.baseURL).response(for: Call()).response
    let length = try #require(head.headers["Content-Length"].flatMap { Int64($0) })
    let seen = try await seen(Call())
    let last = try #require(seen.last)
    #expect(last.description == "receiving \(length) of \(length) bytes, 100 %")
    #expect(length != Int64(Self.bytes.count))
    #expect(seen.filter { $0.phase == .receiving }.allSatisfy { $0.total == length })
    check(seen)
  }

  @Test(
    "A long body is counted while sent, in memory or as a stream, and a short body with the response",
    arguments: 0..<4)
  func uploads(_ index: Int) async throws {
    server.route(.put, "/a", answers: .text("ok"))
    let half = Self.bytes.count / 2
    let chunks = [Data(Self.bytes.prefix(half)), Data(Self.bytes.dropFirst(half))]
    let stream = { @Sendable in
      AsyncStream<Data> { stream in
        for chunk in chunks { stream.yield(chunk) }
        stream.finish()
      }
    }
    let (body, count): (RequestBody, Int) =
      switch index {
      case 0: (.data(Self.bytes), Self.bytes.count)
      case 1: (.stream(length: Int64(Self.bytes.count), restart: stream), Self.bytes.count)
      case 2: (.stream(restart: stream), Self.bytes.count)
      default: (.text("short"), 5)
      }
    let seen = try await seen(Call(method: .put, body: body))
    #expect(server.requests.first?.body.count == count)
    #expect(seen.last?.description == "receiving 2 of 2 bytes, 100 %" && seen.last?.sent == Int64(count))
    let totals = Set(seen.filter { $0.phase == .sending }.map(\.total))
    #expect(totals.isSubset(of: [index == 2 ? nil : Int64(count)]))
    check(seen)
  }

  @Test("The count does not decrease when a body is sent again after a 307")
  func redirects() async throws {
    server.route(.put, "/a", answers: .status(307).header("Location", "/b"))
    server.route(.put, "/b", answers: .text("ok"))
    let seen = try await seen(Call(method: .put, body: .data(Self.bytes)))
    #expect(server.requests.map(\.body.count) == [Self.bytes.count, Self.bytes.count])
    #expect(seen.last?.sent == Int64(Self.bytes.count))
    check(seen)
  }

  @Test("A HEAD transfers no body, for any length in its response")
  func heads() async throws {
    server.route(.head, "/a", answers: .text("hello"))
    let seen = try await seen(Call(method: .head))
    #expect(seen.last?.description == "receiving 0 of 0 bytes, 100 %")
  }
}
#endif
