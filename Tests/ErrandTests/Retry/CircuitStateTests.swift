import Foundation
import Testing

@testable import Errand

@Suite("The states of a circuit")
struct CircuitStateTests {
  static let origin = Origin(URL(string: "http://a.example")!)!

  struct Circuit {
    var state: CircuitState

    init(_ breaker: CircuitBreaker = CircuitBreaker(minimumRequests: 4)) { state = CircuitState(breaker) }

    /// Ends an allowed request immediately.
    mutating func send(_ succeeded: Bool?, at second: Double) -> String {
      if let refusal = state.refusal(at: .seconds(second), of: OriginKey(origin: origin)) {
        return "refused for \(refusal.wait.map(\.secondsText) ?? "now")"
      }
      state.settle(state.admit(at: .seconds(second)), succeeded: succeeded, at: .seconds(second))
      return phase
    }

    var phase: String {
      switch state.phase {
      case .closed: "closed"
      case .open, .openUntilClosed: "open"
      case .halfOpen(let running, let succeeded): "half-open \(running) \(succeeded)"
      }
    }
  }

  @Test("Closed, open, half-open, open again, half-open, closed")
  func sequence() {
    var circuit = Circuit()
    #expect((0..<3).map { _ in circuit.send(false, at: 0) } == ["closed", "closed", "closed"])
    #expect(circuit.send(false, at: 1) == "open")
    #expect(circuit.send(true, at: 1) == "refused for 15 s")
    #expect(circuit.send(true, at: 15.5) == "refused for 0.5 s")
    #expect(circuit.send(false, at: 16) == "open")
    #expect(circuit.send(true, at: 30.75) == "refused for 0.25 s")
    #expect(circuit.send(true, at: 31) == "closed")
    // Earlier failures are forgotten.
    #expect((0..<3).map { _ in circuit.send(false, at: 31) } == ["closed", "closed", "closed"])
    #expect(circuit.send(false, at: 31) == "open")
  }

  @Test("Failures before and during the open state do not count after closing")
  func forgotten() {
    var circuit = Circuit(CircuitBreaker(minimumRequests: 4, window: .seconds(1000)))
    #expect((0..<4).map { _ in circuit.send(false, at: 0) }.last == "open")
    #expect(circuit.send(true, at: 15) == "closed")
    #expect((0..<3).map { _ in circuit.send(false, at: 16) } == ["closed", "closed", "closed"])
    #expect(circuit.send(false, at: 16) == "open")
  }

  @Test("The circuit opens at the failure rate, after enough outcomes, within the window")
  func opening() {
    var rare = Circuit()
    #expect((0..<20).map { rare.send($0 % 3 != 2, at: 0) }.allSatisfy { $0 == "closed" })

    var half = Circuit()
    #expect(
      [true, true, false, false].map { half.send($0, at: 0) } == ["closed", "closed", "closed", "open"])

    var slow = Circuit()
    #expect((0..<12).map { slow.send(false, at: Double($0) * 10) }.allSatisfy { $0 == "closed" })
  }

  @Test(
    "The given number of concurrent probes is allowed, and the same number of successes closes the circuit")
  func probes() {
    var circuit = Circuit(CircuitBreaker(minimumRequests: 1, probes: 2))
    #expect(circuit.send(false, at: 0) == "open")
    let (first, second) = (circuit.state.admit(at: .seconds(15)), circuit.state.admit(at: .seconds(15)))
    #expect(circuit.phase == "half-open 2 0")
    #expect(circuit.send(true, at: 15) == "refused for now")
    circuit.state.settle(first, succeeded: true, at: .seconds(16))
    #expect(circuit.phase == "half-open 1 1")
    #expect(circuit.send(true, at: 15) == "refused for now")
    circuit.state.settle(second, succeeded: true, at: .seconds(16))
    #expect(circuit.phase == "closed")
  }

  @Test("A probe without a verdict makes room for another probe")
  func neutral() {
    var circuit = Circuit(CircuitBreaker(minimumRequests: 1))
    #expect(circuit.send(nil, at: 0) == "closed")
    #expect(circuit.send(false, at: 0) == "open")
    #expect(circuit.send(nil, at: 15) == "half-open 0 0")
    #expect(circuit.send(true, at: 15) == "closed")
  }

  @Test(
    "An endless probe is waited for as long as the circuit was open, at least 15 seconds, and then no longer counts"
  )
  func endless() {
    for (openTime, end) in [(15.0, 30.0), (40, 80), (1, 16)] {
      var circuit = Circuit(CircuitBreaker(minimumRequests: 1, openTime: .seconds(openTime)))
      #expect(circuit.send(false, at: 0) == "open")
      let probe = circuit.state.admit(at: .seconds(openTime))
      #expect(circuit.send(true, at: end - 0.5) == "refused for now")
      #expect(circuit.send(nil, at: end) == "half-open 0 0")
      circuit.state.settle(probe, succeeded: false, at: .seconds(end))
      #expect(circuit.send(true, at: end) == "closed")
    }
  }

  @Test("Outcomes of requests sent before a state change do not count")
  func late() {
    var circuit = Circuit(CircuitBreaker(minimumRequests: 1))
    let early = circuit.state.admit(at: .zero)
    #expect(circuit.send(false, at: 0) == "open")
    circuit.state.settle(early, succeeded: true, at: .zero)
    #expect(circuit.phase == "open")
    let probe = circuit.state.admit(at: .seconds(15))
    circuit.state.settle(early, succeeded: true, at: .seconds(15))
    #expect(circuit.phase == "half-open 1 0")
    circuit.state.settle(probe, succeeded: true, at: .seconds(15))
    #expect(circuit.phase == "closed")
  }

  @Test("No number breaks the circuit")
  func extremes() {
    for number in [-1, 0, .nan, .infinity, 1e300] {
      for span in [Duration.zero, .seconds(-5), .seconds(Int64.max)] {
        var circuit = Circuit(
          CircuitBreaker(
            failureRate: number, minimumRequests: .min, window: span, openTime: span, probes: .min))
        for now in [0, 1, 1e15, -1] { for end in [true, false, nil] { _ = circuit.send(end, at: now) } }
      }
    }
  }
}
