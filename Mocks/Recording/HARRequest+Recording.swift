import Errand
import Foundation

extension HARRequest {
  init(_ answer: RecordedAnswer, redaction: Redaction) {
    let request = answer.request
    method = request.method.token
    url = redaction.recorded(request.url)
    httpVersion = answer.summary.metrics?.httpVersion ?? ""
    headers = redaction.headers(request.headers).pairs
    queryString = Self.items(of: url)
    guard !answer.requestBody.isEmpty else {
      bodySize = 0
      return
    }
    let data = HARPostData(answer.requestBody, type: request.headers["Content-Type"], redaction: redaction)
    // The length of a body with a secret in it tells the length of the secret.
    if data.bytes == answer.requestBody { bodySize = answer.requestBody.count }
    postData = data
  }

  private static func items(of url: String) -> [HARPair] {
    guard let query = RequestTarget(url).query else { return [] }
    return query.split(separator: "&").map { item in
      let name = item.prefix { $0 != "=" }
      return HARPair(name: decoded(name), value: decoded(item.dropFirst(name.count + 1)))
    }
  }

  private static func decoded(_ text: Substring) -> String {
    let text = String(text).replacing("+", with: " ")
    return text.removingPercentEncoding ?? text
  }
}

extension Redaction {
  /// A URL with its secrets hidden that is still one: the marker has characters that no URL has.
  func recorded(_ url: URL) -> String { Self.escapingMarker(self.url(url)) }

  static func escapingMarker(_ text: String) -> String { text.replacing(marker, with: "%3Credacted%3E") }
}
