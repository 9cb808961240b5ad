#if os(Linux)
import Foundation

/// The parsed fields of recent header lines, reused if a response repeats a line at the same index.
///
/// Confined to the loop's thread. No method calls back, so the variables need no exclusivity checks.
final class RepeatedLines {
  private struct Line {
    let length: Int
    /// `nil` for a line that is not kept.
    let field: HTTPHeaders.Field?
  }

  private static let maximumCount = 32
  private static let maximumLength = 128

  @exclusivity(unchecked) private var lines: [Line] = []
  /// The bytes of the kept lines, each at a multiple of `maximumLength`.
  @exclusivity(unchecked) private var bytes = [UInt8](repeating: 0, count: maximumCount * maximumLength)

  func field(at index: Int, equalTo line: UnsafeRawBufferPointer) -> HTTPHeaders.Field? {
    guard index < lines.count, lines[index].length == line.count, let start = line.baseAddress else {
      return nil
    }
    let isEqual = bytes.withUnsafeBytes { bytes in
      bytes.baseAddress.map { memcmp($0 + index * Self.maximumLength, start, line.count) == 0 } ?? false
    }
    return isEqual ? lines[index].field : nil
  }

  /// Keeps a field for reuse, if there is room.
  ///
  /// A `Set-Cookie` is not kept, because cookies may be secret.
  func keep(_ field: HTTPHeaders.Field, of line: UnsafeRawBufferPointer, at index: Int) {
    guard index < Self.maximumCount, index <= lines.count else { return }
    let isKept = line.count <= Self.maximumLength && !HTTPHeaders.same(field.name, "Set-Cookie")
    if isKept {
      bytes.withUnsafeMutableBytes { bytes in
        let place = index * Self.maximumLength
        UnsafeMutableRawBufferPointer(rebasing: bytes[place..<(place + line.count)]).copyMemory(from: line)
      }
    }
    let kept = Line(length: isKept ? line.count : -1, field: isKept ? field : nil)
    if index < lines.count { lines[index] = kept } else { lines.append(kept) }
  }
}
#endif
