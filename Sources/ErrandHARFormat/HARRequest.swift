package import Errand
package import Foundation

package struct HARRequest: Codable, Sendable {
  package var method: String
  package var url: String
  package var httpVersion = ""
  /// Empty, because `headers` contains the cookies.
  package var cookies: [HARPair] = []
  package var headers: [HARPair] = []
  package var queryString: [HARPair] = []
  package var postData: HARPostData?
  package var headersSize = -1
  package var bodySize = -1
  /// The trailers, in the custom field `_trailers`, because HAR 1.2 has no trailers.
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

package struct HARPostData: Codable, Sendable {
  package var mimeType: String
  /// The form fields.
  ///
  /// Some browsers write `params` in place of `text`, or in addition.
  package var params: [HARPair] = []
  package var text: String
  /// `base64` if `text` is Base64; otherwise, `text` is plain text.
  ///
  /// Written to the custom field `_encoding`, because HAR 1.2 has no encoding of request bodies.
  package var encoding: String?
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
    // A redacted body gets no size, because the size could reveal the length of a secret.
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
  /// Returns the URL with hidden secrets.
  ///
  /// The redaction marker is percent-encoded, because a URL cannot contain `<`.
  package func recorded(_ url: URL) -> String { Self.escapingMarker(self.url(url)) }

  static func escapingMarker(_ text: String) -> String { text.replacing(marker, with: "%3Credacted%3E") }
}

extension HARPostData {
  /// Records a body for replay.
  ///
  /// Of `multipart/*`, only the length is recorded, because a part may be a secret.
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

  init(shown body: Data, type: String?, redaction: Redaction) {
    // Records the length of a multipart body. For other bodies, the text is set below.
    self.init(HARText.isMultipart(type) ? body : Data(), type: type, redaction: redaction)
    guard !HARText.isMultipart(type) else { return }
    let shown = HARText(shown: body, type: type, redaction: redaction)
    (text, encoding, comment) = (shown.text, shown.encoding, shown.comment)
  }

  /// The bytes of `text`, or of the `params` joined with `&` if `text` is empty.
  package var bytes: Data {
    if text.isEmpty, !params.isEmpty { return Data(params.map(Self.pair).joined(separator: "&").utf8) }
    return HARText(text: text, encoding: encoding).bytes(type: mimeType) ?? Data(text.utf8)
  }

  /// Joins a name and a value, which must already be percent-encoded.
  private static func pair(_ pair: HARPair) -> String { "\(pair.name)=\(pair.value)" }
}
