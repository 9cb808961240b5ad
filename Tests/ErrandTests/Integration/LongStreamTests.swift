import Errand
import Foundation
import Testing

/// Too long for every run.
///
/// The tests measure the memory of their process, so run the tests alone:
///
///     ERRAND_STREAM=1073741824 swift test --filter LongStreamTests
@Suite(
  "A long stream with a slow side", .serialized,
  .enabled(if: Server.stream != nil, "set ERRAND_STREAM to a number of bytes to run these"))
struct LongStreamTests {
  private static let block = Data(repeating: 0x61, count: 65_536)

  private final class Gauge: Sendable {
    private let state = Locked((given: 0, taken: 0, most: 0))

    func give(_ count: Int) { state.withLock { $0.given += count } }

    func take(_ count: Int) {
      state.withLock { state in
        state.taken += count
        state.most = max(state.most, state.given - state.taken)
      }
    }

    var most: Int { state.withLock { $0.most } }
  }

  @Test("A slow reader of a response")
  func download() async throws {
    let (total, gauge) = (try #require(Server.stream), Gauge())
    let server = RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
      for start in stride(from: 0, to: total, by: Self.block.count) {
        let piece = Self.block.prefix(total - start)
        gauge.give(piece.count)
        guard connection.send(piece) else { return }
      }
    }
    let response = try await RequestAgent(baseURL: server.url()).stream(.get("big"))
    let start = ContinuousClock.now
    var (read, chunks) = (0, 0)
    for try await chunk in response.body {
      (read, chunks) = (read + chunk.count, chunks + 1)
      gauge.take(chunk.count)
      try await Task.sleep(for: .milliseconds(1))
    }
    try check(gauge, "\(read) bytes down in \(chunks) chunks, \(start.duration(to: .now))")
    #expect(read == total && response.report?.attempts.map(\.bodyLength) == [total])
  }

  @Test("A slow reader of a request")
  func upload() async throws {
    let (total, gauge) = (try #require(Server.stream), Gauge())
    let server = RawServer { connection in
      guard connection.readHead() != nil else { return }
      let isWhole = connection.discard(total) { count in
        gauge.take(count)
        Thread.sleep(forTimeInterval: 0.000_5)
      }
      if isWhole { connection.send("HTTP/1.1 204 No Content\r\n\r\n") }
    }
    let rest = Locked(total)
    let body = AsyncStream<Data> {
      let count = rest.withLock { rest in
        let count = min(rest, Self.block.count)
        rest -= count
        return count
      }
      gauge.give(count)
      return count > 0 ? Self.block.prefix(count) : nil
    }
    let request = OneOffRequest.put("big").with(\.body, .stream(body, length: Int64(total)))
    let response = try await RequestAgent(baseURL: server.url()).stream(request)
    #expect(try await response.body.all().isEmpty && response.head.status == 204)
    try check(gauge, "\(total) bytes up")
  }

  private func check(_ gauge: Gauge, _ what: String) throws {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let peak = try #require(
      status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }.flatMap { Int($0.filter(\.isNumber)) })
    print("\(what): at most \(peak) KiB resident since the start, at most \(gauge.most) bytes on the way")
    #expect(peak < 64 * 1024)
    #expect(gauge.most < 32 << 20)
  }
}
