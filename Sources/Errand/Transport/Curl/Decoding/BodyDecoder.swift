#if os(Linux)
import Foundation

/// Decodes a content coding in pieces of at most ``pieceSize`` bytes.
protocol BodyDecoder: AnyObject {
  func add(_ bytes: Data)

  /// Returns the next decoded chunk; `nil` if the added input gives no further output.
  ///
  /// Bytes decoded before a corruption are returned before the error.
  func next() throws -> Data?

  /// Throws if the coded bytes are incomplete; called after the last input.
  ///
  /// Empty input is valid.
  func finish() throws
}

extension BodyDecoder {
  /// The maximum size of a decoded chunk, in bytes.
  static var pieceSize: Int { Block.size }
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
