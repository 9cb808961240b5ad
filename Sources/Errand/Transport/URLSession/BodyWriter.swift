import Foundation

protocol BodySink: AnyObject {
  func write(_ bytes: UnsafeRawBufferPointer) throws -> Int
  func finish() throws
}

/// Copies a request body from an ``UploadPump`` into a ``BodySink``.
///
/// Guarded by the queue of the owner.
final class BodyWriter {
  private let pump: UploadPump
  private let sink: any BodySink
  private let didEnd: () -> Void
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var rest = 0..<0
  private var hasEnded = false
  private(set) var isWaiting = false
  private var seenCount = 0

  /// Returns true if a compressed body has read input since the last call.
  func takeCodingProgress() -> Bool {
    let count = pump.codedCount
    defer { seenCount = count }
    return count != seenCount
  }

  init(_ pump: UploadPump, into sink: any BodySink, didEnd: @escaping () -> Void) {
    self.pump = pump
    self.sink = sink
    self.didEnd = didEnd
  }

  func writeAvailable() throws {
    while !hasEnded {
      guard try rest.isEmpty ? fill() : drain() else { return }
    }
  }

  func stop() {
    hasEnded = true
    pump.stop()
  }

  private func fill() throws -> Bool {
    isWaiting = false
    switch buffer.withUnsafeMutableBytes({ pump.read(into: $0) }) {
    case .bytes(let count): rest = 0..<count
    case .notYet:
      isWaiting = true
      return false
    case .end:
      hasEnded = true
      try sink.finish()
      didEnd()
    }
    return true
  }

  private func drain() throws -> Bool {
    let count = try buffer.withUnsafeBytes { try sink.write(UnsafeRawBufferPointer(rebasing: $0[rest])) }
    rest = (rest.lowerBound + count)..<rest.upperBound
    return count > 0
  }
}

final class CollectedBody: BodySink {
  private(set) var data = Data()

  func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    data.append(contentsOf: bytes)
    return bytes.count
  }

  func finish() {}
}
