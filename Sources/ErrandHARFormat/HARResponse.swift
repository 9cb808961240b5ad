package import Errand
import Foundation

package struct HARResponse: Codable, Sendable {
  /// The status code; 0 or less if there was no response.
  package var status: Int
  package var statusText = ""
  package var httpVersion = ""
  /// Empty, because `headers` contains the cookies.
  package var cookies: [HARPair] = []
  package var headers: [HARPair] = []
  package var content = HARContent()
  package var redirectURL = ""
  package var headersSize = -1
  package var bodySize = -1
  /// The trailers, in the custom field `_trailers`, because HAR 1.2 has no trailers.
  package var trailers: [HARPair]?
  /// The reason of a failure, such as Chromium's `net::ERR_CONNECTION_REFUSED`.
  package var error: String?
}

extension HARResponse {
  private enum CodingKeys: String, CodingKey {
    case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize
    case trailers = "_trailers"
    case error = "_error"
  }

  /// The name that Playwright uses for the field `_error`.
  private enum OtherKeys: String, CodingKey { case error = "_failureText" }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    status = try fields.decode(Int.self, forKey: .status)
    statusText = fields.value(.statusText, or: "")
    httpVersion = fields.value(.httpVersion, or: "")
    headers = fields.value(.headers, or: [])
    content = fields.value(.content, or: HARContent())
    redirectURL = fields.value(.redirectURL, or: "")
    headersSize = fields.value(.headersSize, or: -1)
    bodySize = fields.value(.bodySize, or: -1)
    trailers = fields.value(.trailers, or: nil)
    error = fields.value(.error, or: nil)
    if error == nil { error = try decoder.container(keyedBy: OtherKeys.self).value(.error, or: nil) }
  }
}

/// A response body, usually after content decoding.
package struct HARContent: Codable, Sendable {
  package var size = 0
  package var mimeType = ""
  /// `nil` if the file does not contain the body.
  package var text: String?
  /// `base64` if `text` is Base64; otherwise, `text` is plain text.
  package var encoding: String?
  package var comment: String?
}

extension HARContent {
  private enum CodingKeys: CodingKey { case size, mimeType, text, encoding, comment }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    size = fields.value(.size, or: 0)
    mimeType = fields.value(.mimeType, or: "")
    text = fields.value(.text, or: nil)
    encoding = fields.value(.encoding, or: nil)
    comment = fields.value(.comment, or: nil)
  }
}

extension HARResponse {
  package init(_ answer: HARExchange, redaction: Redaction) {
    let head = answer.head
    // A custom transport may return a negative status.
    status = max(head.status.code, 0)
    statusText = head.status.reasonPhrase ?? (head.status.code < 0 ? "\(head.status.code)" : "")
    httpVersion = answer.summary.metrics?.httpVersion ?? ""
    headers = redaction.headers(head.headers).pairs.map(Self.escapingLocation)
    content = HARContent(answer, type: head.headers["Content-Type"], redaction: redaction)
    redirectURL = headers.first { $0.isLocation }?.value ?? ""
    let trailers = redaction.headers(answer.summary.trailers).pairs
    self.trailers = trailers.isEmpty ? nil : trailers
  }

  /// Percent-encodes the redaction marker in a `Location` field, because a replayed redirect needs a valid
  /// URL.
  private static func escapingLocation(_ field: HARPair) -> HARPair {
    field.isLocation ? HARPair(name: field.name, value: Redaction.escapingMarker(field.value)) : field
  }
}

extension HARPair {
  fileprivate var isLocation: Bool { name.lowercased() == "location" }
}

extension HARContent {
  fileprivate init(_ answer: HARExchange, type: String?, redaction: Redaction) {
    mimeType = HARText.mimeType(type, redaction: redaction)
    // Recorded even for an empty body, because some readers require a text.
    let recorded =
      answer.isReplayed
      ? HARText(answer.body, type: type, redaction: redaction)
      : HARText(shown: answer.body, type: type, redaction: redaction)
    (text, encoding, comment) = (recorded.text, recorded.encoding, recorded.comment)
    size = (comment == nil ? recorded.bytes(type: type)?.count : nil) ?? answer.body.count
  }
}
