import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandOAuth

#if os(Linux)
@Suite("Two processes that renew tokens of a shared store", .timeLimit(.minutes(10)))
struct RenewalRaceTests {
  private let folder = TemporaryDirectory()
  private var file: URL { folder.url.appendingPathComponent("tokens.json") }

  /// `ERRAND_RENEWALS` overrides the number.
  private static func count(_ standard: Int) -> Int {
    ProcessInfo.processInfo.environment["ERRAND_RENEWALS"].flatMap { Int($0) } ?? standard
  }

  private func run(_ service: RotatingService, _ name: String, killedAfter time: Int = 0) async throws
    -> (Int32, String)
  {
    let probe = Compiler.products.appendingPathComponent("ExitProbe")
    let url = service.server.baseURL.absoluteString
    let arguments = [
      "renewals", url.hasSuffix("/") ? String(url.dropLast()) : url, file.path, name, "\(time)",
    ]
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try ChildProcess.run(probe, arguments) })
      }
    }
  }

  private func begin() async throws {
    try await FileTokenStore(file: file).save(
      BearerAuthenticator.Credential(accessToken: "t0", refreshToken: "r0"))
  }

  /// No process had to sign in again, and the folder only contains the newest tokens.
  private func check(_ state: RotatingService.State, _ rounds: Int) async throws {
    #expect(state.rounds == rounds && state.refusedGrants == 0)
    let saved = try await FileTokenStore(file: file).load()
    #expect(
      saved
        == BearerAuthenticator.Credential(accessToken: "t\(state.issued)", refreshToken: "r\(state.issued)"))
    #expect(try folder.files == ["tokens.json"])
  }

  @Test("Each expiry causes one refresh, and the other process uses the saved tokens")
  func once() async throws {
    let rounds = Self.count(400)
    let service = try RotatingService(rounds: rounds)
    try await begin()
    async let first = run(service, "a")
    async let second = run(service, "b")
    #expect(try await [first.1, second.1] == ["", ""])
    let state = service.state.withLock { $0 }
    #expect(state.renewals == rounds && state.repeated == 0)
    try await check(state, rounds)
  }

  @Test(
    "With processes killed at random moments, no process waits for a dead process, and no leftovers stay"
  )
  func killed() async throws {
    let kills = Self.count(12)
    let rounds = kills * 10
    let service = try RotatingService(rounds: rounds)
    try await begin()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, name) in ["a", "b"].enumerated() {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(number) + 32)
          for _ in 0..<(kills + number) / 2 {
            let (status, text) = try await run(service, name, killedAfter: 1 + random.below(40_000))
            // The status is 0 if the process finished before the kill.
            #expect(status == 9 || status == 0, "\(text)")
          }
          #expect(try await run(service, name) == (0, ""))
        }
      }
      try await group.waitForAll()
    }
    let state = service.state.withLock { $0 }
    #expect(state.renewals + state.repeated <= rounds + kills)
    try await check(state, rounds)
  }
}
#endif
