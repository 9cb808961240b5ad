#if os(Linux)
import CCurl

final class BrotliCodec: PieceCodec {
  static let coding = ContentCoding.br

  private let library: BrotliLibrary
  private let decoder: UnsafeMutableRawPointer?
  private var hasEnded = false

  init(_ library: BrotliLibrary) {
    self.library = library
    decoder = library.create(nil, nil, nil)
  }

  deinit { library.destroy(decoder) }

  func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> CodecStep {
    guard let decoder else {
      let error = TransportError(.transport, "the decoder of the \(Self.coding) body could not be started")
      return CodecStep(read: 0, written: 0, state: .failed(error))
    }
    // Bytes after the end of the brotli stream are an error.
    if hasEnded { return CodecStep(read: 0, written: 0, state: .failed(.corrupt(Self.coding))) }
    var (left, room) = (input.count, output.count)
    var next = input.bindMemory(to: UInt8.self).baseAddress
    var end = output.bindMemory(to: UInt8.self).baseAddress
    let result = library.decode(decoder, &left, &next, &room, &end, nil)
    hasEnded = result == 1
    let state: CodecStep.State = hasEnded ? .ended : result == 0 ? .failed(.corrupt(Self.coding)) : .inside
    return CodecStep(read: input.count - left, written: output.count - room, state: state)
  }
}
#endif
