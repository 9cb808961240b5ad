import Foundation

/// A growing byte buffer.
///
/// ``slack`` writable bytes follow the reserved bytes, so that a whole word may be stored at the end.
struct JSONBuffer: ~Copyable {
  static var slack: Int { 32 }

  /// Growing may move the memory, so a reservation may invalidate pointers.
  private var memory: UnsafeMutablePointer<UInt8>?
  private(set) var count = 0
  private var capacity = 0

  init(capacity: Int) {
    if capacity == 0 { return }
    self.capacity = capacity + Self.slack
    memory = Self.memory(of: self.capacity, from: nil)
  }

  deinit { free(memory) }

  /// The start of the memory; valid after a reservation.
  private var base: UnsafeMutablePointer<UInt8> {
    @inline(__always) get { memory.unsafelyUnwrapped }
  }

  @inline(__always)
  mutating func reserve(_ more: Int) {
    if capacity &- count < more &+ Self.slack { grow(by: more) }
  }

  /// The address of the next byte; valid after ``reserve(_:)``, until the next reservation.
  var end: UnsafeMutablePointer<UInt8> {
    @inline(__always) get { base + count }
  }

  @inline(__always)
  mutating func advance(_ more: Int) {
    count &+= more
    assert(count <= capacity)
  }

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

  mutating func append(plain text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  mutating func appendIndent(level: Int, onNewLine: Bool) {
    reserve(1 + 2 * level)
    if onNewLine {
      base[count] = 0x0A
      count &+= 1
    }
    end.update(repeating: 0x20, count: 2 * level)
    count &+= 2 &* level
  }

  @inline(__always)
  mutating func close(_ byte: UInt8, level: Int?) {
    if let level { appendIndent(level: level, onNewLine: true) }
    append(byte)
  }

  mutating func replace(from place: Int, with other: borrowing JSONBuffer) {
    cut(to: place)
    append(UnsafeBufferPointer(start: other.memory, count: other.count))
  }

  func withBytes<Result, Failure: Error>(
    _ range: Range<Int>, body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(range.upperBound <= count)
    return try body(UnsafeBufferPointer(start: memory.map { $0 + range.lowerBound }, count: range.count))
  }

  mutating func take() -> Data {
    defer { count = 0 }
    if count < 512 { return Data(UnsafeBufferPointer(start: memory, count: count)) }
    defer { (memory, capacity) = (nil, 0) }
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
