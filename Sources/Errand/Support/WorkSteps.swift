import Foundation

/// Steps of about 1 MiB, between which a caller may check for a cancellation.
struct WorkSteps {
  static let size = 1 << 20

  private var count = 0

  mutating func isOver(after bytes: Int) -> Bool {
    count += bytes
    guard count >= Self.size else { return false }
    count = 0
    return true
  }

  static func pieces(of data: Data) -> some Sequence<Data> {
    stride(from: data.startIndex, to: data.endIndex, by: size).lazy.map { start in
      data[start..<min(data.endIndex, start + size)]
    }
  }

  static func pause(unless signal: CancellationSignal?) async throws {
    await Task.yield()
    try Task.checkCancellation()
    if signal?.isCancelled == true { throw CancellationError() }
  }
}
