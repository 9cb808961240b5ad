import CMeasure
import Foundation
import Synchronization

/// Sends the requests of a run, and prints the results as a line.
///
/// Starts `inFlight` tasks, each of which sends one request after another. The main thread sleeps, because an
/// asynchronous `main` ends in a call of libdispatch that crashes valgrind 3.19.
public func measure(_ options: Options, _ send: @escaping @Sendable () async throws -> Int) -> Never {
  Task.detached {
    await measured(options, send)
    exit(0)
  }
  while true { pause() }
}

/// Measures an operation for all requests of a run, and prints the results as a line.
public func measureOnce<Value>(_ options: Options, of value: Value, _ operation: (inout Value) -> Void)
  -> Never
{
  var value = value
  withUnsafePointer(to: options.raw.value) { measure_allocations_begin($0) }
  let before = measure_now()
  operation(&value)
  let after = measure_now()
  measure_allocations_end()
  withUnsafePointer(to: options.raw.value) { measure_print($0, before, after, 0) }
  exit(0)
}

/// Runs an unmeasured preparation, then measures an operation for all requests of a run.
///
/// Prints the results as a line.
public func measure(
  _ options: Options, after prepare: @escaping @Sendable () async throws -> Void,
  _ operation: @escaping @Sendable () async throws -> Void
) -> Never {
  Task.detached {
    do {
      try await prepare()
      withUnsafePointer(to: options.raw.value) { measure_allocations_begin($0) }
      let before = measure_now()
      try await operation()
      let after = measure_now()
      measure_allocations_end()
      withUnsafePointer(to: options.raw.value) { measure_print($0, before, after, 0) }
    } catch {
      fail("\(error)")
    }
    exit(0)
  }
  while true { pause() }
}

/// Runs an unmeasured preparation, then measures an operation.
///
/// Prints the operation's results and the process's resource use as a line.
public func measureParts(
  _ options: Options, _ prepare: @escaping @Sendable () async throws -> Void,
  _ operation: @escaping @Sendable () async throws -> [String: Double]
) -> Never {
  Task.detached {
    do {
      try await prepare()
      let before = measure_now()
      var figures = try await operation()
      let after = measure_now()
      figures["requests"] = Double(options.requests)
      figures["seconds"] = after.wall_seconds - before.wall_seconds
      figures["cpuSeconds"] = after.cpu_seconds - before.cpu_seconds
      figures["peakBytes"] = Double(measure_peak())
      print("{\(figures.map { "\"\($0.key)\":\($0.value)" }.sorted().joined(separator: ","))}")
    } catch {
      fail("\(error)")
    }
    exit(0)
  }
  while true { pause() }
}

/// The time of a monotonic clock in seconds.
public func secondsNow() -> Double { measure_seconds() }

private func measured(_ options: Options, _ send: @escaping @Sendable () async throws -> Int) async {
  do {
    _ = try await load(options.warmUp, inFlight: options.inFlight, send)
    withUnsafePointer(to: options.raw.value) { measure_allocations_begin($0) }
    let before = measure_now()
    let bytes = try await load(options.requests, inFlight: options.inFlight, send)
    let after = measure_now()
    measure_allocations_end()
    withUnsafePointer(to: options.raw.value) { measure_print($0, before, after, Int64(bytes)) }
  } catch {
    fail("\(error)")
  }
}

/// Sends the requests, and returns the sum of the results of `send`.
private func load(
  _ requests: Int, inFlight: Int, _ send: @escaping @Sendable () async throws -> Int
) async throws -> Int {
  let left = Counter(requests)
  return try await withThrowingTaskGroup(of: Int.self) { group in
    for _ in 0..<min(inFlight, requests) {
      group.addTask {
        var bytes = 0
        while left.takeOne() { bytes += try await send() }
        return bytes
      }
    }
    return try await group.reduce(0, +)
  }
}

private final class Counter: Sendable {
  private let left: Atomic<Int>

  init(_ count: Int) { left = Atomic(count) }

  func takeOne() -> Bool { left.subtract(1, ordering: .relaxed).oldValue > 0 }
}

/// Prints a message to standard error, and ends the process with status 1.
public func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("\(message)\n".utf8))
  exit(1)
}
