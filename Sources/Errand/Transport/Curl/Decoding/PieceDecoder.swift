#if os(Linux)
import Foundation

final class PieceDecoder<Codec: PieceCodec>: BodyDecoder {
  private let codec: Codec
  private var input = Data()
  private var failure: TransportError?
  private var isComplete = true
  private var hasMore = false

  init(_ codec: Codec) { self.codec = codec }

  func add(_ bytes: Data) {
    if input.isEmpty { input = bytes } else { input.append(bytes) }
  }

  func next() throws -> Data? {
    while failure == nil, !input.isEmpty || hasMore {
      let output = decodePiece()
      if !output.isEmpty { return output }
    }
    if let failure { throw failure }
    return nil
  }

  func finish() throws {
    if !isComplete { throw TransportError.endedEarly(Codec.coding) }
  }

  private func decodePiece() -> Data {
    let block = Block()
    let piece = UnsafeMutableRawBufferPointer(start: block.bytes, count: Self.pieceSize)
    let step = input.withUnsafeBytes { codec.decode($0, into: piece) }
    hasMore = false
    switch step.state {
    case .inside where step.read == 0 && step.written == 0 && !input.isEmpty:
      // Without a failure, `next()` would loop forever.
      failure = .corrupt(Codec.coding)
    case .inside:
      isComplete = false
      hasMore = step.written == piece.count
    case .ended: isComplete = true
    case .failed(let error): failure = error
    }
    input = input.dropFirst(step.read)
    block.wrote(step.written)
    return block.data
  }
}
#endif
