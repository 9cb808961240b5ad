import Foundation

/// Cuts bytes that come in chunks of any size into lines, in time linear in their number.
///
/// It keeps the chunk it was fed and the beginning of a line, whose length is bounded. A byte order mark at the very beginning
/// is no part of the first line.
struct LineSplitter {
  /// What ends a line.
  enum Ending {
    /// LF alone.
    case lineFeed
    /// LF, CR, or both in that order: CR LF.
    case any
  }

  private let ending: Ending
  private let limit: Int
  private var chunk: [UInt8] = []
  /// Of the first byte of the chunk that belongs to no line yet.
  private var position = 0
  /// The beginning of a line, from earlier chunks.
  private var beginning: [UInt8] = []
  /// Whether a line ended with the CR before, so that a LF belongs to its end.
  private var followsReturn = false
  private var isFirst = true

  /// - Parameter limit: of the bytes in a line without its end.
  init(_ ending: Ending, limit: Int) {
    self.ending = ending
    self.limit = limit
  }

  /// Takes a chunk; to be called when ``next()`` has given `nil`.
  mutating func feed(_ bytes: Data) {
    chunk = [UInt8](bytes)
    position = 0
  }

  /// The next line that has an end; `nil` when the chunk has no more.
  ///
  /// Throws a ``Refusal`` of kind ``RequestError/Kind/limitExceeded`` for a line that is too long, ended or not.
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

  /// The line that has no end, when no more bytes come; `nil` where there is none.
  mutating func last() throws -> ArraySlice<UInt8>? {
    guard !beginning.isEmpty else { return nil }
    let line = try line([])
    return line.isEmpty ? nil : line
  }

  /// Where the end of the line is in the chunk.
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
