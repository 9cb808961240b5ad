import Foundation

/// Where the bytes of a body are written.
protocol BodySink: AnyObject {
  /// Takes as many bytes as there is room for; 0 when there is none, and then the writer is to be told when there is.
  func write(_ bytes: UnsafeRawBufferPointer) throws -> Int
  /// All bytes were written.
  func finish() throws
}

/// Carries a body from its pump into a sink, as bytes come and as there is room.
///
/// It has no thread of its own: `turn` is called when something has changed, on the queue that guards it.
final class BodyWriter {
  private let pump: UploadPump
  private let sink: any BodySink
  private let didEnd: () -> Void
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  /// What of the buffer is still to be written.
  private var rest = 0..<0
  private var hasEnded = false
  /// Whether the body's stream is to give more first.
  private(set) var isWaiting = false
  private var seenCount = 0

  /// Whether a coded body, such as one in gzip, has taken something since this was called last.
  func hasCoded() -> Bool {
    let count = pump.codedCount
    defer { seenCount = count }
    return count != seenCount
  }

  init(_ pump: UploadPump, into sink: any BodySink, didEnd: @escaping () -> Void) {
    self.pump = pump
    self.sink = sink
    self.didEnd = didEnd
  }

  /// Carries what can be carried now.
  func turn() throws {
    while !hasEnded {
      guard try rest.isEmpty ? fill() : drain() else { return }
    }
  }

  /// Gives the body up.
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

/// A body that is collected before it is sent.
final class CollectedBody: BodySink {
  private(set) var data = Data()

  func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    data.append(contentsOf: bytes)
    return bytes.count
  }

  func finish() {}
}
