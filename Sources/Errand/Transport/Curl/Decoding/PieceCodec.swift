#if os(Linux)
/// A decoder of the system, as ``PieceDecoder`` drives it.
protocol PieceCodec: AnyObject {
  static var coding: ContentCoding { get }

  /// Decodes some of `input` into `output`; neither is empty of room, but `input` may be empty of bytes.
  func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> CodecStep
}

/// What one call of a decoder did.
struct CodecStep {
  enum State {
    /// More is to come.
    case inside
    /// The coded bytes are complete; what follows is for the next call to judge.
    case ended
    case failed(TransportError)
  }

  /// The bytes taken from the input.
  var read: Int
  /// The bytes put into the output.
  var written: Int
  var state: State
}
#endif
