import Foundation
import Testing

@testable import Errand
@testable import ErrandURLSession

/// With limited room, like a session's stream.
@Suite("URLSession: writing of bodies")
struct BodyWriterTests {
  /// Accepts `room` bytes.
  final class NarrowSink: BodySink {
    private(set) var written: [String] = []
    private(set) var isFinished = false
    var room: Int
    var error: TransportError?

    init(room: Int) { self.room = room }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> Int {
      if let error { throw error }
      let count = min(room, bytes.count)
      room -= count
      if count > 0 { written.append(String(decoding: bytes.prefix(count), as: UTF8.self)) }
      return count
    }

    func finish() { isFinished = true }
  }

  /// `news` reports new bytes.
  private static func writer(
    _ chunks: [String], length: Int64? = nil, into sink: NarrowSink, ends: Locked<Int> = Locked(0)
  ) -> (BodyWriter, news: AsyncStream<Void>, failures: Locked<[String]>) {
    let (news, teller) = AsyncStream.makeStream(of: Void.self)
    let failures = Locked([String]())
    let source = AsyncStream<Data> { stream in
      for chunk in chunks { stream.yield(Data(chunk.utf8)) }
      stream.finish()
    }
    let pump = UploadPump(
      BodyStream(SequenceSource(source)), length: length, isReadable: { teller.yield() },
      didFail: { error in
        failures.withLock { $0.append("\(error)") }
        teller.yield()
      })
    let writer = BodyWriter(pump, into: sink) { ends.withLock { $0 += 1 } }
    return (writer, news, failures)
  }

  @Test("Bytes without room wait in order, and the end is reported once, after the last byte")
  func narrow() async throws {
    let (sink, ends) = (NarrowSink(room: 3), Locked(0))
    let (writer, news, _) = Self.writer(["abcde", "fg"], into: sink, ends: ends)
    var changes = news.makeAsyncIterator()
    try writer.writeAvailable()
    #expect(writer.isWaiting && sink.written.isEmpty)
    await changes.next()
    try writer.writeAvailable()
    #expect(sink.written == ["abc"] && !writer.isWaiting)
    // Without room, repeated turns write no bytes.
    try writer.writeAvailable()
    #expect(sink.written == ["abc"])
    while !sink.isFinished {
      sink.room += 1
      try writer.writeAvailable()
      if writer.isWaiting { await changes.next() }
    }
    #expect(sink.written.joined() == "abcdefg" && ends.withLock { $0 } == 1)
    try writer.writeAvailable()
    #expect(ends.withLock { $0 } == 1)
  }

  @Test("An empty body ends at once, and a body with a wrong length never ends")
  func ends() async throws {
    let (sink, ends) = (NarrowSink(room: 100), Locked(0))
    let (writer, news, _) = Self.writer([], into: sink, ends: ends)
    var changes = news.makeAsyncIterator()
    try writer.writeAvailable()
    await changes.next()
    try writer.writeAvailable()
    #expect(sink.isFinished && ends.withLock { $0 } == 1)

    let short = NarrowSink(room: 100)
    let (other, otherNews, failures) = Self.writer(["ab"], length: 5, into: short)
    var otherChanges = otherNews.makeAsyncIterator()
    while failures.withLock({ $0.isEmpty }) {
      try other.writeAvailable()
      await otherChanges.next()
    }
    #expect(failures.withLock { $0 } == ["the body stream ended after 2 of the 5 bytes it promised"])
    #expect(!short.isFinished && short.written == ["ab"])
  }

  @Test("A stopped writer writes no more, and an error of the sink is thrown")
  func stopped() async throws {
    let sink = NarrowSink(room: 1)
    let (writer, news, _) = Self.writer(["abc"], into: sink)
    var changes = news.makeAsyncIterator()
    try writer.writeAvailable()
    await changes.next()
    try writer.writeAvailable()
    writer.stop()
    sink.room = 10
    try writer.writeAvailable()
    #expect(sink.written == ["a"] && !sink.isFinished)

    let broken = NarrowSink(room: 10)
    broken.error = TransportError(.encoding, "broken")
    let (other, otherNews, _) = Self.writer(["abc"], into: broken)
    var otherChanges = otherNews.makeAsyncIterator()
    try other.writeAvailable()
    await otherChanges.next()
    #expect(throws: TransportError(.encoding, "broken")) { try other.writeAvailable() }
  }
}
