import Errand
import Foundation

/// The head of an answer as it is sent, after the informational ones.
struct AnswerHead {
  /// Whether it says that the connection ends (RFC 9112 section 9.6).
  let closes: Bool
  let bytes: Data

  init(_ answer: MockAnswer, isVersion10: Bool, closing: Bool) {
    var headers = answer.framedHeaders
    if isVersion10, answer.sendsChunks { headers["Transfer-Encoding"] = nil }
    let saysClose = headers["Connection"]?.lowercased() == "close"
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

  private static func statusLine(_ status: HTTPStatus) -> String {
    "HTTP/1.1 \(status.code) \(status.reasonPhrase ?? "")"
  }
}

extension HTTPHeaders {
  /// The fields as lines with their ends.
  var lines: String { fields.map { "\($0.name): \($0.value)\r\n" }.joined() }
}
