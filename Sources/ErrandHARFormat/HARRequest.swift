package import Errand
package import Foundation

/// The request of an exchange in a HAR file.
package struct HARRequest: Codable, Sendable {
  package var method: String
  package var url: String
  package var httpVersion = ""
  /// Stay empty: cookies are among the headers.
  package var cookies: [HARPair] = []
  package var headers: [HARPair] = []
  package var queryString: [HARPair] = []
  package var postData: HARPostData?
  package var headersSize = -1
  package var bodySize = -1
  /// The fields after the body, as far as they are known, for which HAR 1.2 has no place.
  package var trailers: [HARPair]?
}

extension HARRequest {
  private enum CodingKeys: String, CodingKey {
    case method, url, httpVersion, cookies, headers, queryString, postData, headersSize, bodySize
    case trailers = "_trailers"
  }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    method = try fields.decode(String.self, forKey: .method)
    url = try fields.decode(String.self, forKey: .url)
    httpVersion = fields.value(.httpVersion, or: "")
    headers = fields.value(.headers, or: [])
    queryString = fields.value(.queryString, or: [])
    postData = fields.value(.postData, or: nil)
    headersSize = fields.value(.headersSize, or: -1)
    bodySize = fields.value(.bodySize, or: -1)
    trailers = fields.value(.trailers, or: nil)
  }
}

/// The body of a request in a HAR file.
package struct HARPostData: Codable, Sendable {
  package var mimeType: String
  /// What some browsers write of a form, in place of its text.
  package var params: [HARPair] = []
  package var text: String
  /// HAR 1.2 knows no coding of a request's text; a field of one's own begins with `_`.
  package var encoding: String?
  /// What is said of a body that is not written.
  package var comment: String?

  package init(mimeType: String, text: String, comment: String) {
    (self.mimeType, self.text, self.comment) = (mimeType, text, comment)
  }
}

extension HARPostData {
  private enum CodingKeys: String, CodingKey {
    case mimeType, params, text, comment
    case encoding = "_encoding"
  }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    mimeType = fields.value(.mimeType, or: "")
    params = fields.value(.params, or: [])
    text = fields.value(.text, or: "")
    encoding = fields.value(.encoding, or: nil)
    comment = fields.value(.comment, or: nil)
  }
}

extension HARRequest {
  package init(_ answer: HARExchange, redaction: Redaction) {
    let request = answer.request
    method = request.method.token
    url = redaction.recorded(request.url)
    httpVersion = answer.summary.metrics?.httpVersion ?? ""
    headers = redaction.headers(request.headers).pairs
    queryString = Self.items(of: url)
    let trailers = redaction.headers(request.trailers.fields).pairs
    self.trailers = trailers.isEmpty ? nil : trailers
    guard !answer.requestBody.isEmpty else {
      bodySize = 0
      return
    }
    let type = request.headers["Content-Type"]
    let data =
      answer.isReplayed
      ? HARPostData(answer.requestBody, type: type, redaction: redaction)
      : HARPostData(shown: answer.requestBody, type: type, redaction: redaction)
    // The length of a body with a secret in it tells the length of the secret.
    if data.bytes == answer.requestBody { bodySize = answer.requestBody.count }
    postData = data
  }

  private static func items(of url: String) -> [HARPair] {
    let query = url.utf8.prefix { $0 != UInt8(ascii: "#") }.drop { $0 != UInt8(ascii: "?") }.dropFirst()
    return Substring(query).split(separator: "&").map { item in
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
  package func recorded(_ url: URL) -> String { Self.escapingMarker(self.url(url)) }

  static func escapingMarker(_ text: String) -> String { text.replacing(marker, with: "%3Credacted%3E") }
}

extension HARPostData {
  /// What is recorded of a body; of `multipart/*`, where a secret may be in any part, only the length.
  package init(_ body: Data, type: String?, redaction: Redaction) {
    mimeType = HARText.mimeType(type, redaction: redaction)
    guard !HARText.isMultipart(type) else {
      text = redaction.body(body, contentType: type)
      return
    }
    let recorded = HARText(body, type: type, redaction: redaction)
    text = recorded.text
    encoding = recorded.encoding
  }

  /// What people may see of a body.
  init(shown body: Data, type: String?, redaction: Redaction) {
    // Of a form of parts both say the length.
    self.init(HARText.isMultipart(type) ? body : Data(), type: type, redaction: redaction)
    guard !HARText.isMultipart(type) else { return }
    let shown = HARText(shown: body, type: type, redaction: redaction)
    (text, encoding, comment) = (shown.text, shown.encoding, shown.comment)
  }

  /// The bytes again; those of a form of which only the fields are there are written anew.
  package var bytes: Data {
    if text.isEmpty, !params.isEmpty { return Data(params.map(Self.pair).joined(separator: "&").utf8) }
    return HARText(text: text, encoding: encoding).bytes(type: mimeType) ?? Data(text.utf8)
  }

  /// Browsers write the fields as they were sent, percent-encoded.
  private static func pair(_ pair: HARPair) -> String { "\(pair.name)=\(pair.value)" }
}
