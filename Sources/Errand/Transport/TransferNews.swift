package import Foundation

/// Received parts of a transfer, not yet delivered to the mailbox.
package struct TransferNews {
  package var head: HTTPResponse?
  var chunks: [Data] = []
  var buffered = 0
  package var ending: Result<Void, any Error>?
  package var summary: TransportSummary?

  package init() {}

  package mutating func add(_ chunk: Data) {
    chunks.append(chunk)
    buffered += chunk.count
  }

  private static let chunkSize = 1 << 17
  private var block: Block?

  mutating func appendInBlocks(_ bytes: UnsafeRawBufferPointer) {
    buffered += bytes.count
    var rest = bytes
    while !rest.isEmpty {
      let block = self.block ?? Block()
      self.block = block
      rest = block.fill(with: rest)
      if block.isFull { closeBlock() }
    }
  }

  mutating func closeBlock() {
    guard let block = block.take() else { return }
    chunks.append(block.data)
  }

  /// The sizes, in bytes, of bodies that may be received in a single block.
  ///
  /// With a larger block, the consumer would wait longer for the first bytes.
  static let wholeSizes: ClosedRange<Int64> = 1 << 14...1 << 17

  mutating func append(_ bytes: UnsafeRawBufferPointer, ofBody length: Int) -> Bool {
    let block = self.block ?? Block(capacity: length)
    self.block = block
    buffered += bytes.count
    _ = block.fill(with: bytes)
    guard block.count >= length else { return false }
    closeBlock()
    return true
  }

  /// Takes the received parts.
  ///
  /// With `keepsBlock`, an incomplete block stays until the transfer has ended.
  mutating func take(keepsBlock: Bool) -> TransferNews {
    var taken = TransferNews()
    if !keepsBlock || ending != nil { closeBlock() }
    swap(&taken, &self)
    if let kept = taken.block.take() {
      taken.buffered -= kept.count
      (block, buffered) = (kept, kept.count)
    }
    return taken
  }

  /// Adds bytes of the body.
  ///
  /// `remaining` is the length of the body from the start of `bytes`; `nil` if unknown.
  mutating func append(_ bytes: UnsafeRawBufferPointer, remaining: Int64?) {
    buffered += bytes.count
    if let last = chunks.indices.last, chunks[last].count < Self.chunkSize {
      chunks[last].append(contentsOf: bytes)
      return
    }
    let capacity = Int(min(remaining ?? 0, Int64(Self.chunkSize)))
    guard capacity > bytes.count else { return chunks.append(Data(bytes)) }
    var chunk = Data(capacity: capacity)
    chunk.append(contentsOf: bytes)
    chunks.append(chunk)
  }
}
