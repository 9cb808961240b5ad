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

  /// Adds bytes to the last chunk if the chunk is small, or to a new chunk.
  ///
  /// - Parameter remaining: the number of bytes still expected, including `bytes`; `nil` if unknown.
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
