import Errand
import Foundation

struct AnswerScript {
  var answer: [AnswerStep] = []
  var bodyStart = 0
  var closes = false
  var afterwards: [AnswerStep] = []

  static func make(for answer: MockAnswer, to method: HTTPMethod, isVersion10: Bool, closing: Bool)
    -> AnswerScript
  {
    var script = AnswerScript()
    if answer.delay > .zero { script.answer.append(.wait(answer.delay)) }
    script.closes = closing
    if let fault = answer.fault, fault.bodyLength == nil {
      script.answer.append(fault.step)
      return script
    }
    switch answer.content {
    case .failure(let error) where error.kind == .invalidStub:
      return make(
        for: .text(error.message, status: 500), to: method, isVersion10: isVersion10, closing: closing)
    case .failure: script.answer.append(.close)
    case .steps(let steps): script.answer += steps
    case .data, .chunks: script.addMessage(of: answer, to: method, isVersion10: isVersion10)
    }
    for edit in answer.wire.edits { edit(&script) }
    return script
  }

  private mutating func addMessage(of message: MockAnswer, to method: HTTPMethod, isVersion10: Bool) {
    let sendsBody = message.framing.sendsBody(to: method)
    // HTTP/1.0 has no chunks, so the end of the connection ends the body.
    let endsWithConnection = isVersion10 && message.framing.sendsChunks && sendsBody
    let head = AnswerHead(message, isVersion10: isVersion10, closing: closes || endsWithConnection)
    closes = head.closes || message.wire.isUnframed
    bodyStart = head.bytes.count
    var bytes = head.bytes
    guard sendsBody else {
      answer.append(.send(bytes))
      return
    }
    let isChunked = message.framing.sendsChunks && !isVersion10
    for piece in message.body.pieces {
      if piece.wait > .zero {
        answer += [.send(bytes), .wait(piece.wait)]
        bytes = Data()
      }
      bytes += isChunked ? Self.chunked(piece.bytes) : piece.bytes
    }
    let cut = message.body.cutLength == nil ? nil : message.fault
    if isChunked, cut == nil { bytes += Data("0\r\n\(message.wire.trailers.lines)\r\n".utf8) }
    answer.append(.send(bytes))
    if let cut { answer.append(cut.step) }
  }

  private static func chunked(_ chunk: Data) -> Data {
    Data("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Data("\r\n".utf8)
  }

  var steps: [AnswerStep] {
    answer + [.finish(closing: closes)] + (afterwards.isEmpty ? [] : afterwards + [.finish(closing: false)])
  }

  mutating func cut(after count: Int, by step: AnswerStep) {
    var kept: [AnswerStep] = []
    var rest = max(count, 0)
    for step in answer {
      guard case .send(let bytes, let times) = step.action, !bytes.isEmpty else {
        kept.append(step)
        continue
      }
      guard times > rest / bytes.count else {
        kept.append(step)
        rest -= bytes.count * times
        continue
      }
      kept.append(.send(bytes, times: rest / bytes.count))
      kept.append(.send(bytes.prefix(rest % bytes.count)))
      break
    }
    answer = kept + [step]
  }

  mutating func drip(_ count: Int, every gap: Duration) {
    answer = answer.flatMap { step in
      guard case .send(let bytes, times: 1) = step.action else { return [step] }
      let pieces = stride(from: bytes.startIndex, to: bytes.endIndex, by: count).map {
        AnswerStep.send(bytes[$0..<min($0 + count, bytes.endIndex)])
      }
      return Array(pieces.map { [$0] }.joined(separator: [.wait(gap)]))
    }
  }
}

struct AnswerHead {
  /// True if the head announces the end of the connection (RFC 9112 section 9.6).
  let closes: Bool
  let bytes: Data

  init(_ answer: MockAnswer, isVersion10: Bool, closing: Bool) {
    var headers = answer.framing.headers
    if isVersion10, answer.framing.sendsChunks { headers["Transfer-Encoding"] = nil }
    let saysClose = headers.connectionOptions.contains("close")
    if closing, !saysClose { headers.add("Connection", "close") }
    closes = saysClose || closing

    var bytes = Data()
    for head in answer.wire.informational {
      bytes += Data("\(Self.statusLine(head.status))\r\n\(head.headers.lines)\r\n".utf8)
    }
    let statusLine = answer.wire.statusLine ?? Self.statusLine(answer.status)
    bytes += Data("\(statusLine)\r\n\(headers.lines)".utf8)
    for line in answer.wire.headerLines { bytes += line + Data("\r\n".utf8) }
    self.bytes = bytes + Data("\r\n".utf8)
  }

  private static func statusLine(_ status: HTTPResponse.Status) -> String {
    "HTTP/1.1 \(status.code) \(status.reasonPhrase ?? "")"
  }
}

extension HTTPHeaders {
  var lines: String { fields.map { "\($0.name): \($0.value)\r\n" }.joined() }
}
