import Foundation

struct MultipartBuffer: Sendable {
  enum Match {
    case none
    /// The bytes received so far may be the start of a boundary line.
    case open
    /// A boundary line; `end` is the position after the line.
    case delimiter(end: Int, isLast: Bool)
  }

  private static let paddingLimit = 128

  /// The boundary after `--`, with the preceding line break (RFC 2046 section 5.1.1).
  private let delimiter: [UInt8]
  /// The initial line break lets the search find a boundary at the start of the document.
  private var bytes: [UInt8] = [0x0D, 0x0A]
  /// The position at which ``lineEnd(from:)`` continues an unsuccessful search.
  private var searched = 0

  init(boundary: String) { delimiter = Array("\r\n--\(boundary)".utf8) }

  var count: Int { bytes.count }

  subscript(range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

  mutating func append(_ chunk: Data) { bytes.append(contentsOf: chunk) }

  mutating func removeFirst(_ count: Int) {
    bytes.removeFirst(count)
    searched -= min(searched, count)
  }

  mutating func removeAll() { bytes = [] }

  /// Looks for a boundary at `start`, the position of a carriage return.
  func match(at start: Int, isAtEnd: Bool) -> Match {
    let known = min(delimiter.count, bytes.count - start)
    for index in 0..<known where bytes[start + index] != delimiter[index] { return .none }
    guard known == delimiter.count else { return .open }
    var place = start + known
    var isLast = false
    if place < bytes.count, bytes[place] == 0x2D {
      guard place + 1 < bytes.count else { return .open }
      guard bytes[place + 1] == 0x2D else { return .none }
      (isLast, place) = (true, place + 2)
    }
    let padding = place
    while place < bytes.count, bytes[place] == 0x20 || bytes[place] == 0x09 {
      place += 1
      if place - padding > Self.paddingLimit { return .none }
    }
    guard place < bytes.count else {
      return isLast && isAtEnd ? .delimiter(end: place, isLast: true) : .open
    }
    guard bytes[place] == 0x0D else { return .none }
    guard place + 1 < bytes.count else {
      return isLast && isAtEnd ? .delimiter(end: place + 1, isLast: true) : .open
    }
    return bytes[place + 1] == 0x0A ? .delimiter(end: place + 2, isLast: isLast) : .none
  }

  mutating func lineEnd(from start: Int) -> Int? {
    var place = max(start, searched)
    while let end = carriageReturn(from: place), end + 1 < bytes.count {
      if bytes[end + 1] == 0x0A { return end }
      place = end + 1
    }
    searched = max(start, bytes.count - 1)
    return nil
  }

  func carriageReturn(from start: Int) -> Int? {
    guard start < bytes.count else { return nil }
    return bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, let found = memchr(base + start, 0x0D, bytes.count - start) else {
        return nil
      }
      return base.distance(to: UnsafeRawPointer(found))
    }
  }
}
