#if os(Linux)
import Foundation

/// Decodes a content coding in pieces of bounded size.
///
/// Input that grows a thousandfold costs a single piece of memory per call.
protocol BodyDecoder: AnyObject {
  /// Adds coded bytes.
  func add(_ bytes: Data)

  /// Returns the next decoded chunk; `nil` if more input is needed.
  ///
  /// Bytes decoded before a corruption are returned before the error.
  func next() throws -> Data?

  /// Checks after the last input that the coded bytes were complete. Empty input is valid.
  func finish() throws
}

extension BodyDecoder {
  /// The maximum size of a chunk returned by ``next()``, in bytes.
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
