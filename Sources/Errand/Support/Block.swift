import Foundation

/// Memory for 64 KiB of a long body, which is used again: what the allocator gives back to the system has to be cleared anew each time.
///
/// It is written to by one owner until it becomes ``data``, and nobody writes to it then.
final class Block: @unchecked Sendable {
  static let size = 65_536
  /// Less than this is copied, so that a few bytes of a stream do not hold a whole block.
  private static let smallest = 16_384
  /// So many are kept for those who need one next: 2 MiB.
  private static let limit = 32
  private static let free = Locked<[Free]>([])

  /// Nobody has it.
  private struct Free: @unchecked Sendable {
    let bytes: UnsafeMutableRawPointer
  }

  let bytes: UnsafeMutableRawPointer
  // Guard: its owner's, until it is data.
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

  /// Copies as many bytes as it has room for, and gives the rest.
  func fill(with source: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let taken = min(source.count, Self.size - count)
    if taken > 0, let start = source.baseAddress { (bytes + count).copyMemory(from: start, byteCount: taken) }
    count += taken
    return UnsafeRawBufferPointer(rebasing: source[taken...])
  }

  /// Takes note of bytes that were written there by others.
  func wrote(_ more: Int) { count = min(count + more, Self.size) }

  /// What it has, as data that keeps it.
  var data: Data {
    count < Self.smallest
      ? Data(bytes: bytes, count: count)
      : Data(bytesNoCopy: bytes, count: count, deallocator: .custom { [self] _, _ in _ = self })
  }
}
