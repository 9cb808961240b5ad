import Foundation

@testable import Errand

/// A server with workers and a queue, and a client with endless demand, event by event without tasks.
struct QueueModel {
  /// A period with constant properties of the server; times in seconds.
  struct Period {
    var length: Double
    var workers: Int
    var service: Double
  }

  enum Variation { case constant, exponential }

  struct Result {
    var served = 0
    var refused = 0
    var latencies: [Double] = []
    var limits: [Int] = []

    var meanLatency: Double { latencies.reduce(0, +) / Double(max(latencies.count, 1)) }
  }

  private struct Event {
    let time: Double
    let started: Double
    let isRefusal: Bool
    /// True for the end of the service, and false for the arrival of the response.
    let isService: Bool
  }

  let periods: [Period]
  /// The time on the network, both ways, in seconds.
  var network = 0.0
  var variation = Variation.constant
  /// Requests beyond this queue are refused with 503; `nil`: the queue is endless.
  var longestQueue: Int?
  /// The demand: the most attempts that the client wants to run at once.
  var demand = 1_000
  var seed: UInt64 = 1

  private struct State {
    var time = 0.0
    /// Sorted by time, the latest first.
    var events: [Event] = []
    var queue = FIFOQueue<Double>()
    var busy = 0
    var running = 0
    var random: SeededGenerator
    var result = Result()
  }

  func run(limit: Int) -> Result { run { _ in limit } }

  func run(_ algorithm: any ConcurrencyAlgorithm) -> Result {
    var algorithm = algorithm
    return run { sample in
      if let sample { _ = algorithm.record(sample) }
      return algorithm.limit
    }
  }

  /// - Parameter record: records a sample, if any, and returns the limit.
  private func run(record: (ConcurrencySample?) -> Int) -> Result {
    var state = State(random: SeededGenerator(seed: seed))
    var limit = record(nil)
    let end = periods.reduce(0) { $0 + $1.length }
    while true {
      while state.running < min(limit, demand) { begin(&state) }
      guard let event = state.events.popLast(), event.time < end else { return state.result }
      state.time = event.time
      if event.isService {
        state.busy -= 1
        add(
          Event(time: event.time + network, started: event.started, isRefusal: false, isService: false),
          &state)
        serve(&state)
        continue
      }
      let latency = event.time - event.started
      if event.isRefusal { state.result.refused += 1 } else { state.result.served += 1 }
      if !event.isRefusal { state.result.latencies.append(latency) }
      limit = record(
        ConcurrencySample(
          latency: .seconds(latency), isOverload: event.isRefusal, running: state.running,
          hasWaiters: demand > limit))
      state.result.limits.append(limit)
      state.running -= 1
    }
  }

  private func begin(_ state: inout State) {
    state.running += 1
    if let longestQueue, state.queue.count >= longestQueue {
      // A refusal takes a hundredth of the service time, so that the simulation makes progress.
      let time = state.time + network + period(at: state.time).service / 100
      return add(Event(time: time, started: state.time, isRefusal: true, isService: false), &state)
    }
    state.queue.append(state.time)
    serve(&state)
  }

  private func serve(_ state: inout State) {
    let period = period(at: state.time)
    while state.busy < period.workers, let started = state.queue.popFirst() {
      state.busy += 1
      let share = variation == .constant ? 1 : -log(1 - Double.random(in: 0..<1, using: &state.random))
      add(
        Event(time: state.time + period.service * share, started: started, isRefusal: false, isService: true),
        &state)
    }
  }

  private func add(_ event: Event, _ state: inout State) {
    var (low, high) = (0, state.events.count)
    while low < high {
      let middle = (low + high) / 2
      if state.events[middle].time > event.time { low = middle + 1 } else { high = middle }
    }
    state.events.insert(event, at: low)
  }

  private func period(at time: Double) -> Period {
    var end = 0.0
    for period in periods {
      end += period.length
      if time < end { return period }
    }
    return periods[periods.count - 1]
  }
}
