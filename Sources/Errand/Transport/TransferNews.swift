import Foundation

/// What the network's side has for the consumer, all at once.
struct TransferNews {
  var head: HTTPResponse?
  var chunks: [Data] = []
  var buffered = 0
  var ending: Result<Void, any Error>?
  var summary: TransportSummary?

  /// Adds bytes that are a chunk already.
  mutating func add(_ chunk: Data) {
    chunks.append(chunk)
    buffered += chunk.count
  }

  private static let chunkSize = 1 << 17
  /// The last bytes of a body that is not kept.
  private var block: Block?

  /// Adds bytes of a body that is handed on piece by piece.
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

  /// Makes a chunk of what is in the last block.
  mutating func closeBlock() {
    guard let block = block.take() else { return }
    chunks.append(block.data)
  }

  /// Adds bytes, few large chunks rather than many small ones.
  ///
  /// - Parameter rest: how many are still to come, these included, where that is known.
  mutating func append(_ bytes: UnsafeRawBufferPointer, of rest: Int64?) {
    buffered += bytes.count
    if let last = chunks.indices.last, chunks[last].count < Self.chunkSize {
      chunks[last].append(contentsOf: bytes)
      return
    }
    let capacity = Int(min(rest ?? 0, Int64(Self.chunkSize)))
    guard capacity > bytes.count else { return chunks.append(Data(bytes)) }
    var chunk = Data(capacity: capacity)
    chunk.append(contentsOf: bytes)
    chunks.append(chunk)
  }
}
