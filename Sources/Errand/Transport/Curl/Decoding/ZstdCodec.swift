#if os(Linux)
import CCurl

final class ZstdCodec: PieceCodec {
  static let coding = ContentCoding.zstd
  /// The exponent of 8 MiB, the largest window of the coding `zstd` (RFC 9659).
  private static let windowLog: Int32 = 23
  private static let windowLogParameter: Int32 = 100
  private static let windowTooLarge = -16

  private let library: ZstdLibrary
  private let decoder: UnsafeMutableRawPointer?

  init(_ library: ZstdLibrary) {
    self.library = library
    decoder = library.create()
    if let decoder { _ = library.set(decoder, Self.windowLogParameter, Self.windowLog) }
  }

  deinit { _ = library.destroy(decoder) }

  func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> CodecStep {
    guard let decoder else {
      let error = TransportError(.transport, "the decoder of the \(Self.coding) body could not be started")
      return CodecStep(read: 0, written: 0, state: .failed(error))
    }
    var source = ccurl_zstd_input(bytes: input.baseAddress, size: input.count, position: 0)
    var target = ccurl_zstd_output(bytes: output.baseAddress, size: output.count, position: 0)
    let result = library.decode(decoder, &target, &source)
    return CodecStep(read: source.position, written: target.position, state: state(for: result))
  }

  private func state(for result: Int) -> CodecStep.State {
    guard library.isError(result) != 0 else { return result == 0 ? .ended : .inside }
    guard result == Self.windowTooLarge else { return .failed(.corrupt(Self.coding)) }
    return .failed(
      TransportError(.corruptBody, "the \(Self.coding) body needs a window of more than 8 MiB (RFC 9659)"))
  }
}
#endif
