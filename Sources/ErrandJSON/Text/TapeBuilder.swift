import Foundation

/// Scans a JSON text, and records the positions of the names and values.
///
/// The syntax of numbers, UTF-8 and most escapes is checked later, when a value is decoded from the tape.
struct TapeBuilder {
  static let depthLimit = 512
  /// The number of levels with a filter: a bitmap of name hashes that finds possibly repeated names.
  private static let filteredLevels = 16
  /// The maximum number of names that an object enters in the filter of its level.
  private static let filteredNames: UInt32 = 192
  private static let filterWords = 8

  struct Options {
    var convertsNames = false
    /// True to leave null elements of arrays off the tape.
    ///
    /// Null members stay on the tape, and decoding skips null members.
    var dropsNulls = false
    /// True to mark every object as ``TapeWord/indexed``, because a user's function converts the names.
    var indexesObjects = false
  }

  private static let isObject: UInt32 = 1
  private static let isIndexed: UInt32 = 2

  private struct Level {
    var open: UInt32
    /// The flags in the lower two bits, and the number of names entered in the filter in the upper bits.
    var state: UInt32
  }

  private let base: UnsafePointer<UInt8>
  private let end: UnsafePointer<UInt8>
  private let options: Options

  /// Builds the tape of a text; at least 16 zero bytes must follow the text.
  ///
  /// If `options` convert names, the text changes in place. The caller must free the words.
  static func tape(
    of base: UnsafeMutablePointer<UInt8>, count: Int, _ options: Options
  ) throws(TapeFault) -> (words: UnsafeMutablePointer<UInt32>, count: Int) {
    let stack = UnsafeMutableRawPointer.allocate(
      byteCount: depthLimit * 8 + filteredLevels * filterWords * 8, alignment: 16)
    defer { stack.deallocate() }
    return try TapeBuilder(base, count: count, options: options).build(
      levels: stack.assumingMemoryBound(to: Level.self),
      filters: (stack + depthLimit * 8).assumingMemoryBound(to: UInt64.self))
  }

  private init(_ base: UnsafeMutablePointer<UInt8>, count: Int, options: Options) {
    (self.base, end) = (UnsafePointer(base), UnsafePointer(base + count))
    self.options = options
  }

  private static func resized(
    _ words: UnsafeMutablePointer<UInt32>?, to capacity: Int
  ) -> UnsafeMutablePointer<UInt32> {
    guard let memory = realloc(words, capacity * 4) else {
      fatalError("There is no memory for a tape of \(capacity) words.")
    }
    return memory.assumingMemoryBound(to: UInt32.self)
  }

  private var capacity: Int {
    // A valid text needs at most about two words for three bytes. For long texts, the capacity is an
    // estimate.
    let count = end - base
    return count <= 8192 ? count * 2 / 3 + 16 : count / 4 + 16
  }

  @inline(never)
  private static func grown(_ capacity: Int, rest: Int) -> Int {
    min(capacity * 2, capacity + rest * 2 / 3 + 16)
  }

  private struct Words {
    var start: UnsafeMutablePointer<UInt32>
    var capacity: Int
    var count = 0

    @inline(__always)
    mutating func makeRoom(rest: @autoclosure () -> Int) {
      if count &+ 6 > capacity {
        capacity = TapeBuilder.grown(capacity, rest: rest())
        start = TapeBuilder.resized(start, to: capacity)
      }
    }

    @inline(__always)
    mutating func append(kind: UInt32, at place: Int) {
      start[count] = TapeWord.make(kind, at: place)
      count &+= 1
    }

    @inline(__always)
    mutating func append(kind: UInt32, at place: Int, length: Int) {
      start[count] = TapeWord.make(kind, at: place)
      start[count &+ 1] = UInt32(truncatingIfNeeded: length)
      count &+= 2
    }
  }

  private struct Nesting {
    let levels: UnsafeMutablePointer<Level>
    let filters: UnsafeMutablePointer<UInt64>
    var depth = 0
    var open = 0
    var state: UInt32 = 0

    @inline(__always) var isObject: Bool { state & TapeBuilder.isObject != 0 }
    @inline(__always) var bracket: UInt8 { isObject ? 0x7D : 0x5D }
  }

  private func build(
    levels: UnsafeMutablePointer<Level>, filters: UnsafeMutablePointer<UInt64>
  ) throws(TapeFault) -> (words: UnsafeMutablePointer<UInt32>, count: Int) {
    var p = base
    var words = Words(start: Self.resized(nil, to: capacity), capacity: capacity)
    var nesting = Nesting(levels: levels, filters: filters)
    var isWhole = false
    defer { if !isWhole { free(words.start) } }
    Self.skipBlanks(&p)
    value: while true {
      words.makeRoom(rest: end - p)
      if nesting.isObject { try readName(&p, into: &words, in: &nesting) }
      let byte = p.pointee
      if byte == 0x22 {
        try readText(&p, into: &words)
      } else if byte &- 0x30 < 10 || byte == 0x2D {
        readNumber(&p, into: &words)
      } else if byte == 0x7B || byte == 0x5B {
        guard try openContainer(&p, into: &words, in: &nesting) else { continue value }
      } else {
        try readWord(&p, into: &words, in: &nesting)
      }
      var isEmpty = byte | 0x20 == 0x7B
      while true {
        if nesting.depth == 0 {
          try finish(p, into: &words)
          isWhole = true
          return (words.start, words.count)
        }
        guard try closeContainer(&p, isEmpty: isEmpty, on: words, in: &nesting) else { continue value }
        isEmpty = false
      }
    }
  }

  @inline(__always)
  private func readName(
    _ p: inout UnsafePointer<UInt8>, into words: inout Words, in nesting: inout Nesting
  ) throws(TapeFault) {
    guard p.pointee == 0x22 else { throw unexpected(p) }
    let start = p + 1
    var (kind, close) = try text(start)
    let next = close + 1
    if kind == TapeWord.plain, options.convertsNames { kind = SnakeCaseName.convert(start, upTo: &close) }
    if kind == TapeWord.plain, nesting.depth <= Self.filteredLevels, nesting.state &>> 2 < Self.filteredNames
    {
      nesting.state &+= 4
      let filter = nesting.filters + (nesting.depth &- 1) &* Self.filterWords
      if Self.isMarked(start, upTo: close, in: filter),
        isKnown(start, upTo: close, on: words.start, from: nesting.open + 1, to: words.count)
      {
        nesting.state |= Self.isIndexed
      }
    } else {
      nesting.state |= Self.isIndexed
    }
    words.append(kind: kind, at: start - base, length: close - start)
    p = next
    Self.skipBlanks(&p)
    guard p.pointee == 0x3A else { throw unexpected(p) }
    p += 1
    Self.skipBlanks(&p)
  }

  @inline(__always)
  private func readText(_ p: inout UnsafePointer<UInt8>, into words: inout Words) throws(TapeFault) {
    let start = p + 1
    let (kind, close) = try text(start)
    words.append(kind: kind, at: start - base, length: close - start)
    p = close + 1
  }

  @inline(__always)
  private func readNumber(_ p: inout UnsafePointer<UInt8>, into words: inout Words) {
    let start = p
    let kind = Self.number(&p)
    words.append(kind: kind, at: start - base)
  }

  /// Reads an opening bracket; returns true if the container is empty.
  @inline(__always)
  private func openContainer(
    _ p: inout UnsafePointer<UInt8>, into words: inout Words, in nesting: inout Nesting
  ) throws(TapeFault) -> Bool {
    guard nesting.depth < Self.depthLimit else { throw tooDeep(p) }
    nesting.levels[nesting.depth] = Level(
      open: UInt32(truncatingIfNeeded: nesting.open), state: nesting.state)
    nesting.open = words.count
    words.count &+= 1
    let bracket = p.pointee
    p += 1
    Self.skipBlanks(&p)
    if bracket == 0x7B {
      nesting.state = options.indexesObjects ? Self.isObject | Self.isIndexed : Self.isObject
      if nesting.depth < Self.filteredLevels {
        (nesting.filters + nesting.depth &* Self.filterWords).update(repeating: 0, count: Self.filterWords)
      }
      nesting.depth &+= 1
      return p.pointee == 0x7D
    }
    nesting.state = 0
    nesting.depth &+= 1
    return p.pointee == 0x5D
  }

  @inline(__always)
  private func readWord(
    _ p: inout UnsafePointer<UInt8>, into words: inout Words, in nesting: inout Nesting
  ) throws(TapeFault) {
    let (kind, length) = try word(p)
    words.start[words.count] = TapeWord.make(kind, at: p - base)
    if kind == TapeWord.null, options.dropsNulls, nesting.depth > 0 {
      // A null member stays, so that no later member with the same name counts.
      if nesting.isObject { words.count &+= 1 }
      nesting.state |= Self.isIndexed
    } else {
      words.count &+= 1
    }
    p += length
  }

  /// Reads a comma or a closing bracket; returns true if the container is closed.
  @inline(__always)
  private func closeContainer(
    _ p: inout UnsafePointer<UInt8>, isEmpty: Bool, on words: Words, in nesting: inout Nesting
  ) throws(TapeFault) -> Bool {
    Self.skipBlanks(&p)
    if p.pointee == 0x2C, !isEmpty {
      p += 1
      Self.skipBlanks(&p)
      // A trailing comma is accepted, as in Foundation.
      guard p.pointee == nesting.bracket else { return false }
    }
    guard p.pointee == nesting.bracket else { throw unexpected(p) }
    let kind =
      !nesting.isObject
      ? TapeWord.array : nesting.state & Self.isIndexed == 0 ? TapeWord.object : TapeWord.indexed
    words.start[nesting.open] = TapeWord.make(kind, at: words.count)
    p += 1
    nesting.depth &-= 1
    nesting.open = Int(truncatingIfNeeded: nesting.levels[nesting.depth].open)
    nesting.state = nesting.levels[nesting.depth].state
    return true
  }

  @inline(__always)
  private func finish(_ p: UnsafePointer<UInt8>, into words: inout Words) throws(TapeFault) {
    try expectEnd(p)
    // The decoder reads this null in place of a missing `super`.
    words.append(kind: TapeWord.null, at: 0)
  }

  @inline(__always) private static func skipBlanks(_ p: inout UnsafePointer<UInt8>) {
    while p.pointee <= 0x20, (UInt64(1) &<< UInt64(p.pointee)) & 0x1_0000_2600 != 0 { p += 1 }
  }

  /// Finds the closing quote; the zero bytes after the JSON stop the search.
  @inline(__always)
  private func text(
    _ start: UnsafePointer<UInt8>
  ) throws(TapeFault) -> (kind: UInt32, close: UnsafePointer<UInt8>) {
    var p = start
    while true {
      let marks = ByteWord.notPlain(ByteWord.load(p))
      if marks == 0 {
        p += 8
        continue
      }
      p += ByteWord.first(marks)
      if p.pointee == 0x22 { return (TapeWord.plain, p) }
      return try otherText(from: p)
    }
  }

  @inline(never)
  private func otherText(
    from start: UnsafePointer<UInt8>
  ) throws(TapeFault) -> (kind: UInt32, close: UnsafePointer<UInt8>) {
    var (p, kind) = (start, TapeWord.utf8)
    while p < end {
      let marks = ByteWord.special(ByteWord.load(p))
      if marks == 0 {
        p += 8
        continue
      }
      p += ByteWord.first(marks)
      if p >= end { break }
      if p.pointee == 0x22 { return (kind, p) }
      kind = TapeWord.escaped
      if p.pointee == 0x5C, p[1] == 0x75 {
        if p[2] == 0x22 || p[3] == 0x22 || p[4] == 0x22 || p[5] == 0x22 {
          throw TapeFault(.shortEscape, at: p - base)
        }
        p += 6
      } else {
        p += p.pointee == 0x5C ? 2 : 1
      }
    }
    throw TapeFault(.openString, at: end - base)
  }

  /// Moves `p` after the number; the syntax is not checked.
  @inline(__always)
  private static func number(_ p: inout UnsafePointer<UInt8>) -> UInt32 {
    p += 1
    while p.pointee &- 0x30 < 10 { p += 1 }
    guard isOfNumber(p.pointee) else { return TapeWord.integer }
    repeat {
      p += 1
      while ByteWord.areDigits(ByteWord.load(p)) { p += 8 }
      while p.pointee &- 0x30 < 10 { p += 1 }
    } while isOfNumber(p.pointee)
    return TapeWord.fraction
  }

  @inline(__always)
  static func isOfNumber(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || byte == 0x2E || byte | 0x20 == 0x65 || byte == 0x2B || byte == 0x2D
  }

  @inline(__always)
  private func word(_ p: UnsafePointer<UInt8>) throws(TapeFault) -> (kind: UInt32, length: Int) {
    switch ByteWord.load4(p) {
    case 0x6C6C_756E: return (TapeWord.null, 4)
    case 0x6575_7274: return (TapeWord.yes, 4)
    case 0x736C_6166 where p[4] == 0x65: return (TapeWord.no, 5)
    default: throw notAWord(p)
    }
  }

  @inline(never)
  private func notAWord(_ p: UnsafePointer<UInt8>) -> TapeFault {
    let word: StaticString? =
      switch p.pointee {
      case 0x6E: "null"
      case 0x74: "true"
      case 0x66: "false"
      default: nil
      }
    var p = p
    word?.withUTF8Buffer { letters in
      p += zip(letters, UnsafeBufferPointer(start: p, count: letters.count)).prefix { $0 == $1 }.count
    }
    return unexpected(p)
  }

  @inline(__always)
  private func expectEnd(_ p: UnsafePointer<UInt8>) throws(TapeFault) {
    var p = p
    Self.skipBlanks(&p)
    guard p == end else { throw unexpected(p) }
  }

  @inline(never)
  private func unexpected(_ p: UnsafePointer<UInt8>) -> TapeFault {
    .unexpected(UnsafeBufferPointer(start: base, count: end - base), at: p - base)
  }

  @inline(never)
  private func tooDeep(_ p: UnsafePointer<UInt8>) -> TapeFault {
    TapeFault(.tooDeep, at: p - base)
  }
}

extension TapeBuilder {
  @inline(__always)
  private static func isMarked(
    _ start: UnsafePointer<UInt8>, upTo close: UnsafePointer<UInt8>, in filter: UnsafeMutablePointer<UInt64>
  ) -> Bool {
    let length = close - start
    var word = ByteWord.load(start)
    if length < 8 {
      // Removes the bytes after the name. Two shifts, because `&<<` by 64 has no effect.
      word = (word &<< 8) &<< UInt64(truncatingIfNeeded: 56 &- 8 &* length)
    } else {
      word ^= ByteWord.load(close - 8) &* 0xA24B_AED4_963E_E407
    }
    let hash = ((word ^ UInt64(truncatingIfNeeded: length)) &* 0x9E37_79B9_7F4A_7C15) &>> 55
    let place = filter + Int(truncatingIfNeeded: hash &>> 6)
    let bit = UInt64(1) &<< (hash & 63)
    let isMarked = place.pointee & bit != 0
    place.pointee |= bit
    return isMarked
  }

  @inline(never)
  private func isKnown(
    _ start: UnsafePointer<UInt8>, upTo close: UnsafePointer<UInt8>, on tape: UnsafeMutablePointer<UInt32>,
    from first: Int, to used: Int
  ) -> Bool {
    var index = first
    while index < used {
      let length = Int(tape[index + 1])
      if length == close - start, memcmp(base + TapeWord.place(tape[index]), start, length) == 0 {
        return true
      }
      index = Tape.next(after: index + 2, on: tape)
    }
    return false
  }
}
