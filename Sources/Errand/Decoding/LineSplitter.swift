import Foundation

/// Splits chunks of bytes into lines; drops a UTF-8 byte order mark at the start.
struct LineSplitter {
  enum Ending {
    case lineFeed
    /// LF, CR or CR LF.
    case any
  }

  private let ending: Ending
  private let limit: Int
  private var chunk: [UInt8] = []
  private var position = 0
  /// The bytes of an unterminated line from earlier chunks.
  private var beginning: [UInt8] = []
  /// True after a line that a CR ends, because a following LF belongs to the same line end.
  private var followsReturn = false
  private var isFirst = true

  /// Creates a splitter.
  ///
  /// `limit` is the maximum length of a line in bytes, without the line end.
  init(_ ending: Ending, limit: Int) {
    self.ending = ending
    self.limit = limit
  }

  /// Adds a chunk; ``next()`` must have returned `nil` for the previous chunk.
  mutating func feed(_ bytes: Data) {
    chunk = [UInt8](bytes)
    position = 0
  }

  /// Returns the next line; `nil` if the chunk has no further line end.
  mutating func next() throws -> ArraySlice<UInt8>? {
    if followsReturn, position < chunk.count {
      if chunk[position] == 0x0A { position += 1 }
      followsReturn = false
    }
    guard let end = end() else {
      try check(chunk.count - position)
      beginning += chunk[position...]
      (chunk, position) = ([], 0)
      return nil
    }
    let rest = chunk[position..<end]
    position = end + 1
    followsReturn = ending == .any && chunk[end] == 0x0D
    return try line(rest)
  }

  mutating func last() throws -> ArraySlice<UInt8>? {
    guard !beginning.isEmpty else { return nil }
    let line = try line([])
    return line.isEmpty ? nil : line
  }

  private func end() -> Int? {
    chunk.withUnsafeBufferPointer { bytes in
      var index = position
      while index < bytes.count {
        let byte = bytes[index]
        if byte == 0x0A || byte == 0x0D && ending == .any { return index }
        index += 1
      }
      return nil
    }
  }

  private mutating func line(_ rest: ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
    try check(rest.count)
    var line = rest
    if !beginning.isEmpty {
      beginning += rest
      line = beginning[...]
      beginning = []
    }
    guard isFirst else { return line }
    isFirst = false
    return line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line
  }

  private func check(_ count: Int) throws {
    guard beginning.count + count > limit else { return }
    throw Refusal("a line is longer than its limit, \(limit) bytes", kind: .limitExceeded)
  }
}
