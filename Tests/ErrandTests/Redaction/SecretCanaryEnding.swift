import ErrandMocks
import Foundation

@testable import Errand

enum SecretCanaryEnding: String, CaseIterable {
  case echoed, page, cutPage, jsonMember, decoding, redirectElsewhere, redirectRefused, redirectStopped,
    thrown
  case transport, retried

  /// One form a line.
  private static func forms(of text: String) -> String {
    let data = Data(text.utf8)
    let json = (try? JSONEncoder().encode([text])).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let percent = data.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let html = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    return [
      "you sent \(text)!", "in JSON \(json)", "in a form a=\(PercentEncoding.encode(text))&b=\(percent)",
      "in a page <p>\(html)</p>", "in Base64 \(data.base64EncodedString())",
      "of more \(Data("ada:\(text)".utf8).base64EncodedString())",
      "and \(Data("x\(text)y".utf8).base64EncodedString())",
      "in hex \(data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())",
    ].joined(separator: "\n")
  }

  /// In forms that are valid in headers.
  private static func headers(_ text: String, _ answer: MockAnswer) -> MockAnswer {
    let encoded = PercentEncoding.encode(text)
    let head = text.unicodeScalars.allSatisfy(\.isASCII) ? text : encoded
    return answer.header("X-Echo", head).header("Link", "<https://h/\(encoded)?a=\(encoded)>; rel=next")
      .header("Warning", "199 - \"\(Data("a\(text)".utf8).base64EncodedString())\"")
      .header("Content-Location", "/users/\(encoded)").trailers(["X-Sum": encoded])
  }

  func answer(_ text: String, to number: Int) throws -> MockAnswer {
    let encoded = PercentEncoding.encode(text)
    let forms = Self.forms(of: text)
    let answer: MockAnswer
    switch self {
    case .echoed, .thrown: answer = .text(forms)
    case .page: answer = .text(forms, status: 404)
    case .cutPage:
      let kept = text.prefix(10).utf8.count
      answer = .text(String(repeating: "p", count: RequestError.bodyLimit - kept) + text, status: 404)
    case .jsonMember: answer = try .json(["harmless": [text, forms]], status: 422)
    case .decoding: answer = try .json(["date": text])
    case .redirectElsewhere where number == 1:
      answer = .status(302).header("Location", "https://other.example/\(encoded)?x=\(encoded)")
    case .redirectElsewhere: answer = .text(forms, status: 500)
    case .redirectRefused: answer = .status(307).header("Location", "http://mocked.example/\(encoded)")
    case .redirectStopped:
      answer = .text(forms, status: 304).header("Location", "https://o.example/\(encoded)")
    case .transport: answer = .failure(TransportError(.connectionLost, "the peer said \(forms)", code: 56))
    case .retried: answer = .text(forms, status: 503)
    }
    return Self.headers(text, answer)
  }

  /// Only for ``thrown``.
  func hooks(_ text: String) -> [any RequestHooks] { self == .thrown ? [Telling(text: text)] : [] }

  private struct Telling: RequestHooks {
    struct Refused: Error { var user: String; var harmless: [String] }
    let text: String
    func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
      throw Refused(user: "ada", harmless: [text, forms(of: text)])
    }
  }
}

struct SecretCanaryItem: Decodable, Sendable {
  private enum Key: CodingKey { case date }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let text = try container.decode(String.self, forKey: .date)
    throw DecodingError.dataCorruptedError(
      forKey: .date, in: container, debugDescription: "\"\(text)\" is no date")
  }
}
