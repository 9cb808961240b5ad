import Foundation

/// A reusable block of 64 KiB for the bytes of a body.
///
/// A single owner writes to the block, and must not write after the first read of ``data``.
final class Block: @unchecked Sendable {
  static let size = 65_536
  /// The size in bytes below which ``data`` is a copy, so that a few bytes do not retain a block.
  private static let smallest = 16_384
  /// The maximum number of free blocks, 2 MiB in total.
  private static let limit = 32
  private static let free = Locked<[Free]>([])

  /// The memory of a block without an owner, referenced by the list alone.
  private struct Free: @unchecked Sendable {
    let bytes: UnsafeMutableRawPointer
  }

  let bytes: UnsafeMutableRawPointer
  // Only the single owner changes the count, before the first read of `data`, so no lock is needed.
  private(set) var count = 0

  init() {
    bytes =
      Self.free.withLock { $0.popLast() }?.bytes
      ?? UnsafeMutableRawPointer.allocate(byteCount: Self.size, alignment: 16)
  }

  deinit {
    let free = Free(bytes: bytes)
    let isKept = Self.free.withLock { list in
      guard list.count < Self.limit else { return false }
      list.append(free)
      return true
    }
    if !isKept { bytes.deallocate() }
  }

  var isFull: Bool { count == Self.size }

  func fill(with source: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let taken = min(source.count, Self.size - count)
    if taken > 0, let start = source.baseAddress { (bytes + count).copyMemory(from: start, byteCount: taken) }
    count += taken
    return UnsafeRawBufferPointer(rebasing: source[taken...])
  }

  func wrote(_ more: Int) { count = min(count + more, Self.size) }

  var data: Data {
    count < Self.smallest
      ? Data(bytes: bytes, count: count)
      : Data(bytesNoCopy: bytes, count: count, deallocator: .custom { [self] _, _ in _ = self })
  }
}
