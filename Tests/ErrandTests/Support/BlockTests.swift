import Foundation
import Testing

@testable import Errand

@Suite("Blocks of memory")
struct BlockTests {
  @Test("a block has room for at least the size asked for, and for at most twice that size")
  func capacity() {
    for wanted in [0, 1, 4096, 65_536, 100_000, 1 << 20] {
      let block = Block(capacity: wanted)
      #expect(block.capacity >= max(wanted, 1))
      #expect(block.capacity <= max(wanted, 1) * 2)
    }
  }

  @Test("a full block returns the bytes that do not fit")
  func filling() throws {
    let bytes = patternedBytes(300_000)
    let block = Block(capacity: 100_000)
    let rest = bytes.withUnsafeBytes { bytes in
      #expect(block.fill(with: UnsafeRawBufferPointer(rebasing: bytes[..<1000])).isEmpty)
      #expect(block.count == 1000 && !block.isFull)
      return Data(block.fill(with: UnsafeRawBufferPointer(rebasing: bytes[1000...])))
    }
    #expect(block.isFull)
    #expect(block.data + rest == bytes)
  }

  @Test(
    "the data of 16 KiB or more is the memory of the block", arguments: [(16_383, false), (16_384, true)])
  func sharing(_ count: Int, _ isShared: Bool) {
    let block = Block(capacity: count)
    let bytes = patternedBytes(count)
    bytes.withUnsafeBytes { _ = block.fill(with: $0) }
    let data = block.data
    #expect(data == bytes)
    #expect(data.withUnsafeBytes { $0.baseAddress == UnsafeRawPointer(block.bytes) } == isShared)
  }

  @Test("the data of less than half of a block is a copy, so that a few bytes do not retain a large block")
  func copying() {
    let block = Block(capacity: 100_000)
    let bytes = patternedBytes(49_999)
    bytes.withUnsafeBytes { _ = block.fill(with: $0) }
    let data = block.data
    #expect(data == bytes)
    #expect(data.withUnsafeBytes { $0.baseAddress != UnsafeRawPointer(block.bytes) })
  }

  @Test("the memory of a block is not reused while the data of the block exists")
  func reuse() {
    var kept: [Data] = []
    for number in 0..<100 {
      let block = Block(capacity: 20_000)
      Data(repeating: UInt8(number), count: 20_000).withUnsafeBytes { _ = block.fill(with: $0) }
      kept.append(block.data)
    }
    #expect(kept == (0..<100).map { Data(repeating: UInt8($0), count: 20_000) })
  }
}
