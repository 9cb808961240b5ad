import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The throughput of an upload covers all its chunks")
struct UploadPaceTests {
  private static func paces(
    _ size: Int, chunk: Int, answer: @escaping @Sendable (ReceivedRequest) throws -> MockAnswer
  ) async throws -> [(place: String, throughput: Double?, left: Duration?)] {
    let bench = UploadBench(answer: answer)
    let told = Locked<[(String, Double?, Duration?)]>([])
    _ = try await bench.agent.upload(
      .data(UploadBench.content(size)), to: .post("files"), by: .tus(chunkSize: chunk),
      progress: { progress in
        told.withLock {
          $0.append(("\(progress.attempt): \(progress)", progress.throughput, progress.timeLeft))
        }
      })
    return told.withLock { $0 }
  }

  @Test(
    "With a chunk each second, the throughput is known after the first chunk, and the time left is the whole's"
  )
  func steady() async throws {
    let tus = MockTus()
    let paces = try await Self.paces(1_000_000, chunk: 100_000) { request in
      tus.answer(to: request).delayed(by: request.method == .patch ? .seconds(1) : .zero)
    }
    // The mock accepts a chunk at once, and responds one second later.
    let known = paces.filter { $0.throughput != nil }
    #expect(known.count >= 8 && paces.count - known.count <= 2, "\(paces)")
    for (place, throughput, left) in known {
      let (pace, left) = (try #require(throughput), try #require(left))
      #expect((50_000...300_000).contains(pace) && left >= .zero, "\(place)")
    }
    #expect(known.first.flatMap(\.left).map { $0 > .seconds(2) } == true && known.last?.left == .zero)
  }

  @Test(
    "Bytes of an earlier run do not count for the throughput, and a lower offset restarts the measurement")
  func setback() async throws {
    let tus = MockTus()
    let lost = Locked(false)
    let paces = try await Self.paces(400_000, chunk: 100_000) { request in
      // The third chunk is lost once.
      let isLost = request.headers["Upload-Offset"] == "200000" && request.method == .patch
      if isLost,
        lost.withLock({ lost in
          defer { lost = true }; return !lost
        })
      {
        return .status(503)
      }
      return tus.answer(to: request).delayed(by: request.method == .patch ? .seconds(1) : .zero)
    }
    #expect(paces.allSatisfy { ($0.throughput ?? 0) >= 0 }, "\(paces)")
    #expect(paces.last?.throughput.map { $0 > 0 } == true, "\(paces)")
  }
}
