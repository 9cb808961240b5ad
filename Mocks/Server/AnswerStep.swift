import Errand
import Foundation

/// One thing a server's connection does to answer; an answer is a list of them.
enum AnswerStep {
  case wait(Duration)
  case send(Data)
  /// The answer is complete.
  case finish(closing: Bool)
  /// The connection ends here, whatever was still to come.
  case close
}

extension MockAnswer {
  /// What a connection does to give this answer.
  ///
  /// - Parameters:
  ///   - method: the request's; `HEAD` gets no body.
  ///   - isVersion10: whether the client is of HTTP/1.0, which knows no chunks: the body ends with the connection.
  ///   - closing: whether the connection is to be closed after it.
  func steps(to method: HTTPMethod, isVersion10: Bool, closing: Bool) -> [AnswerStep] {
    var steps = delay > .zero ? [AnswerStep.wait(delay)] : []
    let head = head(isVersion10: isVersion10, closing: closing)
    switch content {
    case .failure: return steps + [.close]
    case .data(let data): steps.append(.send(sendsBody(to: method) ? head.bytes + data : head.bytes))
    case .chunks(let chunks, let gap):
      steps.append(.send(head.bytes))
      if sendsBody(to: method) { steps += Self.steps(of: chunks, gap: gap, isFramed: !isVersion10) }
    }
    return steps + [.finish(closing: head.closes)]
  }

  private func head(isVersion10: Bool, closing: Bool) -> AnswerHead {
    var head = AnswerHead(status: status, headers: framedHeaders)
    if isVersion10, case .chunks = content { head.headers["Transfer-Encoding"] = nil }
    if closing, !head.closes { head.headers.add("Connection", "close") }
    return head
  }

  private static func steps(of chunks: [Data], gap: Duration, isFramed: Bool) -> [AnswerStep] {
    var steps: [AnswerStep] = []
    for (index, chunk) in chunks.enumerated() {
      if index > 0, gap > .zero { steps.append(.wait(gap)) }
      steps.append(.send(isFramed ? framed(chunk) : chunk))
    }
    return isFramed ? steps + [.send(Data("0\r\n\r\n".utf8))] : steps
  }

  private static func framed(_ chunk: Data) -> Data {
    Data("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Data("\r\n".utf8)
  }
}

/// The head of an answer as it is sent.
private struct AnswerHead {
  var status: HTTPStatus
  var headers: HTTPHeaders

  /// Whether it says that the connection ends (RFC 9112 section 9.6).
  var closes: Bool { headers["Connection"]?.lowercased() == "close" }

  var bytes: Data {
    var lines = ["HTTP/1.1 \(status.code) \(status.reasonPhrase ?? "")"]
    lines += headers.fields.map { "\($0.name): \($0.value)" }
    return Data("\(lines.joined(separator: "\r\n"))\r\n\r\n".utf8)
  }
}
