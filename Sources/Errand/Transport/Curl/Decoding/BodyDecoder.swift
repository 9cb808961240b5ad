#if os(Linux)
import Foundation

/// Undoes one content coding, a bounded piece at a time.
///
/// Bytes that blow up to a thousand times their size cost one piece per call, not all at once.
protocol BodyDecoder: AnyObject {
  /// Adds coded bytes.
  func add(_ bytes: Data)

  /// The next decoded chunk, `nil` when more input is needed first.
  ///
  /// What was decoded before any damage is given first.
  func next() throws -> Data?

  /// Checks, after the last input, that the coded bytes were complete; no bytes at all are fine.
  func finish() throws
}

extension BodyDecoder {
  /// The largest chunk given by one call of ``next()``.
  static var pieceSize: Int { 65_536 }
}

extension TransportError {
  static func endedEarly(_ coding: ContentCoding) -> TransportError {
    TransportError(.corruptBody, "the \(coding) body ended early")
  }

  static func corrupt(_ coding: ContentCoding) -> TransportError {
    TransportError(.corruptBody, "the \(coding) body is corrupt")
  }
}
#endif
