import Testing

@testable import Errand

@Suite("A value set once")
struct OneTimeTests {
  @Test("The first value counts, for waiters before and after")
  func first() async throws {
    let value = OneTime<Int>()
    #expect(value.value == nil)
    async let early = value.wait()
    value.set(1)
    value.set(2)
    #expect(try await early == 1)
    #expect(try await value.wait() == 1)
    #expect(value.value == 1)
  }

  @Test("A waiter whose task is already cancelled does not wait")
  func cancelledBefore() async {
    let value = OneTime<Int>()
    let waiter = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await value.wait()
    }
    await #expect(throws: CancellationError.self) { try await waiter.value }
    value.set(1)
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await value.wait()
    }
    #expect((try? await late.value) == 1)
  }

  @Test("Waiters, cancellations and the value race 1,000 times, and every waiter returns once")
  func storm() async {
    for round in 0..<1000 {
      let value = OneTime<Int>()
      let waiters = (0..<8).map { _ in Task { try await value.wait() } }
      async let set: Void = { value.set(round) }()
      async let cancelled: Void = { for waiter in waiters.prefix(4) { waiter.cancel() } }()
      _ = await (set, cancelled)
      for (index, waiter) in waiters.enumerated() {
        switch await waiter.result {
        case .success(let number): #expect(number == round)
        case .failure(let error): #expect(index < 4 && error is CancellationError)
        }
      }
    }
  }
}
