import Errand
import Foundation

extension HARPostData {
  /// What is recorded of a body; of `multipart/*`, where a secret may be in any part, only the length.
  init(_ body: Data, type: String?, redaction: Redaction) {
    mimeType = type ?? ""
    guard !HARText.isMultipart(type) else {
      text = redaction.body(body, contentType: type)
      return
    }
    let recorded = HARText(body, type: type, redaction: redaction)
    text = recorded.text
    encoding = recorded.encoding
  }

  /// The bytes again; those of a form of which only the fields are there are written anew.
  var bytes: Data {
    if text.isEmpty, !params.isEmpty { return Data(params.map(Self.pair).joined(separator: "&").utf8) }
    return HARText(text: text, encoding: encoding).bytes(type: mimeType) ?? Data(text.utf8)
  }

  /// Browsers write the fields as they were sent, percent-encoded.
  private static func pair(_ pair: HARPair) -> String { "\(pair.name)=\(pair.value)" }
}
