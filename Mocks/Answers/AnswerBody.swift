import Errand
import Foundation

struct AnswerBody {
  let content: MockAnswer.Content
  /// In bytes per second; `nil`: no limit.
  let throughput: Int?
  let fault: AnswerFault?

  var pieces: [BodyPiece] {
    var pieces: [BodyPiece]
    switch content {
    case .data(let data): pieces = data.isEmpty ? [] : [BodyPiece(bytes: data)]
    case .chunks(let chunks, let gap):
      pieces = chunks.enumerated().map { BodyPiece(wait: $0 > 0 ? gap : .zero, bytes: $1) }
    case .failure, .steps: return []
    }
    if let cutLength { pieces = Self.prefix(of: pieces, count: cutLength) }
    if let throughput { pieces = pieces.flatMap { Self.throttled($0, to: throughput) } }
    return pieces
  }

  /// The number of bytes before a fault inside the body; `nil`: no fault inside the body.
  var cutLength: Int? { fault?.bodyLength.flatMap { $0 < length ? $0 : nil } }

  var length: Int {
    switch content {
    case .data(let data): data.count
    case .chunks(let chunks, _): chunks.reduce(0) { $0 + $1.count }
    case .failure, .steps: 0
    }
  }

  private static func prefix(of pieces: [BodyPiece], count: Int) -> [BodyPiece] {
    var rest = count
    return pieces.compactMap { piece in
      let bytes = piece.bytes.prefix(rest)
      rest -= bytes.count
      return bytes.isEmpty ? nil : BodyPiece(wait: piece.wait, bytes: bytes)
    }
  }

  /// Splits a piece into small parts, each with a wait that keeps the rate of `throughput` bytes per second.
  private static func throttled(_ piece: BodyPiece, to throughput: Int) -> [BodyPiece] {
    let bytes = piece.bytes
    let size = max(throughput / 10, 1)
    return stride(from: bytes.startIndex, to: bytes.endIndex, by: size).map { start in
      let part = bytes[start..<min(start + size, bytes.endIndex)]
      let gap = start == bytes.startIndex ? piece.wait : .zero
      return BodyPiece(wait: gap + .nanoseconds(1_000_000_000 * part.count / throughput), bytes: part)
    }
  }

  func ending(from url: URL, isChunked: Bool, wait: ProgressWait) -> MockBodySource.Ending {
    guard let fault, let count = cutLength else { return .complete }
    switch fault.ending {
    case .stall: return .silence
    case .timeout: return .failure(wait.timedOut)
    case .close: return .failure(.truncated(after: count, of: isChunked ? nil : length))
    case .refusal, .reset: return .failure(.reset(by: url))
    }
  }
}

struct BodyPiece: Sendable {
  var wait: Duration = .zero
  let bytes: Data
}
