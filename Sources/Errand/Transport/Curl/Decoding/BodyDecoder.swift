#if os(Linux)
import Foundation

protocol BodyDecoder: AnyObject {
  func add(_ bytes: Data)

  /// Returns the next decoded piece; `nil` if the added input gives no further output.
  func next() throws -> Data?

  /// Throws if the coded bytes are incomplete.
  func finish() throws
}

extension BodyDecoder {
  /// The maximum size of a decoded piece in bytes.
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
