import Foundation

/// A part of a body, and how long it is waited before it.
struct BodyPiece: Sendable {
  var wait: Duration = .zero
  let bytes: Data
}

extension MockAnswer {
  /// The body in the pieces in which it is given, up to where a fault ends it; none for an answer without a body of
  /// its own.
  var pieces: [BodyPiece] {
    var pieces: [BodyPiece]
    switch content {
    case .data(let data): pieces = data.isEmpty ? [] : [BodyPiece(bytes: data)]
    case .chunks(let chunks, let gap):
      pieces = chunks.enumerated().map { BodyPiece(wait: $0 > 0 ? gap : .zero, bytes: $1) }
    case .failure, .steps: return []
    }
    if let length = cutLength { pieces = Self.prefix(of: pieces, length) }
    if let throughput { pieces = pieces.flatMap { Self.throttled($0, to: throughput) } }
    return pieces
  }

  /// How many bytes of the body come before the fault that ends it; `nil` when it comes whole.
  var cutLength: Int? { fault?.bodyLength.flatMap { $0 < bodyLength ? $0 : nil } }

  /// The number of bytes of the whole body.
  var bodyLength: Int {
    switch content {
    case .data(let data): data.count
    case .chunks(let chunks, _): chunks.reduce(0) { $0 + $1.count }
    case .failure, .steps: 0
    }
  }

  private static func prefix(of pieces: [BodyPiece], _ length: Int) -> [BodyPiece] {
    var rest = length
    return pieces.compactMap { piece in
      let bytes = piece.bytes.prefix(rest)
      rest -= bytes.count
      return bytes.isEmpty ? nil : BodyPiece(wait: piece.wait, bytes: bytes)
    }
  }

  /// Waits before each part as long as it takes, so that the whole takes its time.
  private static func throttled(_ piece: BodyPiece, to throughput: Int) -> [BodyPiece] {
    let bytes = piece.bytes
    let size = max(throughput / 10, 1)
    return stride(from: bytes.startIndex, to: bytes.endIndex, by: size).map { start in
      let part = bytes[start..<min(start + size, bytes.endIndex)]
      let gap = start == bytes.startIndex ? piece.wait : .zero
      return BodyPiece(wait: gap + .nanoseconds(1_000_000_000 * part.count / throughput), bytes: part)
    }
  }
}
