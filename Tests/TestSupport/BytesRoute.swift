import Errand
import ErrandMocks
public import Foundation

/// `/bytes/n`: bytes that depend on their number only, whole or in part (RFC 9110 section 14).
public struct BytesRoute: Sendable {
  private static let lastModified = "Sat, 21 Nov 2026 10:00:00 GMT"

  /// All the bytes.
  public let bytes: Data

  /// Makes the answerer of `/bytes/count`; a negative count is none.
  public init(count: Int) {
    bytes = Data((0..<max(count, 0)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
  }

  func answer(to request: ReceivedRequest) -> MockAnswer {
    let tag = #""bytes-\#(bytes.count)""#
    let isSame = request.headers["If-Range"].map { [tag, Self.lastModified].contains($0) } ?? true
    guard isSame, let written = request.headers["Range"] else { return validated(.data(bytes), tag) }
    guard let range = range(written) else {
      return .status(416).header("Content-Range", "bytes */\(bytes.count)")
    }
    return validated(.data(bytes[range], status: 206), tag)
      .header("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)")
  }

  private func validated(_ answer: MockAnswer, _ tag: String) -> MockAnswer {
    answer.header("Content-Type", "application/octet-stream")
      .header("Accept-Ranges", "bytes")
      .header("ETag", tag)
      .header("Last-Modified", Self.lastModified)
  }

  /// One range with a first byte, a last byte or both; `nil` when it lies outside.
  private func range(_ text: String) -> Range<Int>? {
    guard text.hasPrefix("bytes=") else { return nil }
    let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard ends.count == 2 else { return nil }
    switch (ends[0], ends[1]) {
    case (let first?, let last) where first < bytes.count:
      let end = min(last ?? .max, bytes.count - 1)
      return first <= end ? first..<(end + 1) : nil
    case (nil, let length?) where length > 0 && !bytes.isEmpty:
      return max(bytes.count - length, 0)..<bytes.count
    default: return nil
    }
  }
}
