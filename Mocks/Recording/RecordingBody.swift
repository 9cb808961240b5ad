import Errand
import Foundation

/// The body of a request as it is compared: with its secrets hidden, JSON whatever the order of its
/// members, and forms whatever their escapes.
struct RecordingBody: Hashable, Sendable {
  /// Empty where there is ``json``.
  private let text: String
  /// Compared by value: its numbers may be written otherwise.
  private let json: JSONValue?

  init(_ body: Data, type: String?, redaction: Redaction) {
    let recorded = HARPostData(body, type: type, redaction: redaction)
    self.init(recorded: recorded)
  }

  /// The body of an entry.
  init(_ data: HARPostData?, redaction: Redaction) {
    if let data, HARText.isMultipart(data.mimeType), data.text.hasPrefix("(") {
      self.init(recorded: data)
    } else {
      self.init(data?.bytes ?? Data(), type: data?.mimeType, redaction: redaction)
    }
  }

  private init(recorded data: HARPostData) {
    let isForm = data.mimeType.lowercased().hasPrefix("application/x-www-form-urlencoded")
    json = isForm ? nil : Self.json(data.text)
    text = isForm ? Self.decodedForm(data.text) : json == nil ? data.text : ""
  }

  /// A line break parts the fields, as none is left unescaped in a form.
  private static func decodedForm(_ text: String) -> String {
    let pairs = text.split(separator: "&").map { pair in
      let pair = String(pair).replacing("+", with: " ")
      return pair.removingPercentEncoding ?? pair
    }
    return pairs.joined(separator: "\n")
  }

  private static func json(_ text: String) -> JSONValue? {
    guard let first = text.utf8.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
      return nil
    }
    return try? JSONCoding().decode(JSONValue.self, from: Data(text.utf8))
  }
}
