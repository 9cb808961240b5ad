#if os(Linux)
protocol PieceCodec: AnyObject {
  static var coding: ContentCoding { get }

  func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> CodecStep
}

struct CodecStep {
  enum State {
    /// The coded bytes read so far are incomplete, or more output is left.
    case inside
    /// The coded bytes read so far are complete.
    case ended
    case failed(TransportError)
  }

  var read: Int
  var written: Int
  var state: State
}
#endif
