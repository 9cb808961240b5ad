import Foundation

/// Bytes that grow at their end, in memory of their own.
///
/// Behind what was reserved there are always ``slack`` bytes more, so that whole words can be stored where only some of their bytes
/// are wanted.
struct JSONBuffer: ~Copyable {
  /// Bytes that may be overwritten behind what was reserved.
  static var slack: Int { 32 }

  /// The memory, from `malloc`; none before the first byte.
  ///
  /// It is never handed out of the scope that asks for it, as growing moves it.
  private var memory: UnsafeMutablePointer<UInt8>?
  /// The number of bytes that are written.
  private(set) var count = 0
  private var capacity = 0

  /// Makes room for so many bytes, or for none.
  init(capacity: Int) {
    if capacity == 0 { return }
    self.capacity = capacity + Self.slack
    memory = Self.memory(of: self.capacity, from: nil)
  }

  deinit { free(memory) }

  /// The first byte; after anything was reserved, as there is memory then.
  private var base: UnsafeMutablePointer<UInt8> {
    @inline(__always) get { memory.unsafelyUnwrapped }
  }

  /// Makes room for so many bytes more, and the slack.
  @inline(__always)
  mutating func reserve(_ more: Int) {
    if capacity &- count < more &+ Self.slack { grow(by: more) }
  }

  /// The place of the next byte; after ``reserve(_:)``, and until the next.
  var end: UnsafeMutablePointer<UInt8> {
    @inline(__always) get { base + count }
  }

  /// Counts bytes that were stored at ``end``, no more than were reserved.
  @inline(__always)
  mutating func advance(_ more: Int) {
    count &+= more
    assert(count <= capacity)
  }

  /// Takes back everything from a place on.
  @inline(__always)
  mutating func cut(to place: Int) {
    assert(place <= count)
    count = place
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    reserve(1)
    base[count] = byte
    count &+= 1
  }

  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    reserve(bytes.count)
    end.update(from: start, count: bytes.count)
    count &+= bytes.count
  }

  mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Text that needs no escapes and no quotes: digits, dates.
  mutating func append(plain text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  /// Two spaces a level, on a new line if wanted.
  mutating func appendIndent(level: Int, onNewLine: Bool) {
    reserve(1 + 2 * level)
    if onNewLine {
      base[count] = 0x0A
      count &+= 1
    }
    end.update(repeating: 0x20, count: 2 * level)
    count &+= 2 &* level
  }

  /// The end of a container; with a level on a line of its own.
  @inline(__always)
  mutating func close(_ byte: UInt8, level: Int?) {
    if let level { appendIndent(level: level, onNewLine: true) }
    append(byte)
  }

  /// Everything from a place on, replaced by other bytes.
  mutating func replace(from place: Int, with other: borrowing JSONBuffer) {
    cut(to: place)
    append(UnsafeBufferPointer(start: other.memory, count: other.count))
  }

  /// A part of the bytes, for reading in `body` alone.
  func withBytes<Result, Failure: Error>(
    _ range: Range<Int>, body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(range.upperBound <= count)
    return try body(UnsafeBufferPointer(start: memory.map { $0 + range.lowerBound }, count: range.count))
  }

  /// The bytes, without a copy where they are many; empty afterwards.
  mutating func take() -> Data {
    defer { count = 0 }
    if count < 512 { return Data(UnsafeBufferPointer(start: memory, count: count)) }
    defer { (memory, capacity) = (nil, 0) }
    // Nobody needs what is behind the bytes any more.
    return Data(bytesNoCopy: Self.memory(of: count, from: memory), count: count, deallocator: .free)
  }

  @inline(never)
  private mutating func grow(by more: Int) {
    capacity = max(capacity &* 2, count + more + Self.slack)
    memory = Self.memory(of: capacity, from: memory)
  }

  private static func memory(
    of size: Int, from old: UnsafeMutablePointer<UInt8>?
  ) -> UnsafeMutablePointer<UInt8> {
    guard let memory = realloc(old, size) else { fatalError("There is no memory for \(size) bytes of JSON.") }
    return memory.assumingMemoryBound(to: UInt8.self)
  }
}
