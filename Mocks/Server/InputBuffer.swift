import Errand
import Foundation

struct InputBuffer {
  private var bytes: [UInt8] = []
  private var start = 0
  /// The index after the bytes already searched for a line feed.
  private var searched = 0

  var count: Int { bytes.count - start }

  mutating func append(_ more: ArraySlice<UInt8>) {
    if start > 0 {
      bytes.removeFirst(start)
      searched = max(searched - start, 0)
      start = 0
    }
    bytes.append(contentsOf: more)
  }

  mutating func line(limit: Int) throws(MalformedRequest) -> ArraySlice<UInt8>? {
    let from = max(start, searched)
    guard let end = bytes[from...].firstIndex(of: 0x0A) else {
      searched = bytes.count
      if count > limit { throw Self.tooLong }
      return nil
    }
    guard end - start <= limit else { throw Self.tooLong }
    guard end > start, bytes[end - 1] == 0x0D else {
      throw MalformedRequest("a line does not end in CR LF")
    }
    defer { start = end + 1 }
    return bytes[start..<(end - 1)]
  }

  mutating func take(_ limit: Int) -> ArraySlice<UInt8> {
    let end = start + min(limit, count)
    defer { start = end }
    return bytes[start..<end]
  }

  private static let tooLong = MalformedRequest("the head is too long", status: 431)
}

struct OutputBuffer {
  private var bytes = Data()
  private var start = 0

  var isEmpty: Bool { start == bytes.count }

  mutating func append(_ more: Data) {
    if isEmpty {
      bytes = more
      start = 0
    } else {
      bytes.append(more)
    }
  }

  mutating func flush(to socket: Int32) -> Bool {
    while !isEmpty {
      let progress = bytes.withUnsafeBytes {
        Socket.write(to: socket, bytes: UnsafeRawBufferPointer(rebasing: $0[start...]))
      }
      switch progress {
      case .bytes(let count): start += count
      case .blocked: return true
      case .ended: return false
      }
    }
    return true
  }
}
