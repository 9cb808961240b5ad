import Foundation

/// A block of reusable memory for the bytes of a body or a file.
///
/// Guarded by its single owner. After the first read of ``data``, the owner must not write, because ``data``
/// may share the memory.
final class Block: @unchecked Sendable {
  /// The default capacity in bytes: 64 KiB.
  static let size = 65_536
  /// The number of bytes below which ``data`` is a copy, so that few bytes do not retain a large block.
  private static let smallest = 16_384
  private static let free = Locked(FreeMemory())

  let bytes: UnsafeMutableRawPointer
  /// The size of the memory in bytes.
  ///
  /// Reused memory may be larger than requested.
  let capacity: Int
  // Guarded by the single owner.
  private(set) var count = 0

  init(capacity: Int = Block.size) {
    let wanted = max(capacity, 1)
    let memory =
      Self.free.withLock { $0.take(wanted) }
      ?? UnsafeMutableRawBufferPointer.allocate(byteCount: wanted, alignment: 16)
    bytes = memory.baseAddress.unsafelyUnwrapped
    self.capacity = memory.count
  }

  deinit {
    let memory = UnsafeMutableRawBufferPointer(start: bytes, count: capacity)
    for dropped in Self.free.withLock({ $0.give(memory) }).blocks { dropped.deallocate() }
  }

  var isFull: Bool { count == capacity }

  func fill(with source: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let taken = min(source.count, capacity - count)
    if taken > 0, let start = source.baseAddress { (bytes + count).copyMemory(from: start, byteCount: taken) }
    count += taken
    return UnsafeRawBufferPointer(rebasing: source[taken...])
  }

  func wrote(_ more: Int) { count = min(count + more, capacity) }

  var data: Data {
    count < max(Self.smallest, capacity / 2)
      ? Data(bytes: bytes, count: count)
      : Data(bytesNoCopy: bytes, count: count, deallocator: .custom { [self] _, _ in _ = self })
  }
}

/// The memory of released blocks, kept for reuse: at most 64 blocks and 4 MiB.
///
/// Guarded by the lock in ``Block``.
private struct FreeMemory: @unchecked Sendable {
  private static let maximumCount = 64
  private static let maximumSize = 4 << 20
  private var blocks: [UnsafeMutableRawBufferPointer] = []
  private var size = 0

  mutating func take(_ wanted: Int) -> UnsafeMutableRawBufferPointer? {
    let sizes = wanted...wanted * 2
    guard let index = blocks.lastIndex(where: { sizes.contains($0.count) }) else { return nil }
    blocks.swapAt(index, blocks.count - 1)
    let block = blocks.removeLast()
    size -= block.count
    return block
  }

  mutating func give(_ block: UnsafeMutableRawBufferPointer) -> Dropped {
    blocks.append(block)
    size += block.count
    var dropped = Dropped()
    while blocks.count > Self.maximumCount || size > Self.maximumSize {
      let oldest = blocks.removeFirst()
      size -= oldest.count
      dropped.blocks.append(oldest)
    }
    return dropped
  }

  /// Sendable because no ``Block`` uses the memory any more.
  struct Dropped: @unchecked Sendable {
    var blocks: [UnsafeMutableRawBufferPointer] = []
  }
}
