import Foundation

/// Bytes on their way into a socket.
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

  /// Writes as much as the socket takes; `false` when the connection is broken.
  mutating func flush(to socket: Int32) -> Bool {
    while !isEmpty {
      let progress = bytes.withUnsafeBytes {
        Socket.write(socket, UnsafeRawBufferPointer(rebasing: $0[start...]))
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
