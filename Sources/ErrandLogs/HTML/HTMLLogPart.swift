import Errand
import Foundation

struct HTMLLogPart: Encodable {
  static let mostParts = 100

  private let name: String?
  private let file: String?
  private let body: HTMLLogBody

  /// Returns the first 100 parts.
  ///
  /// The limits apply to all parts together.
  static func shown(_ parts: [BodyPart], redaction: Redaction, limits: HTMLLogger.Limits) -> [HTMLLogPart] {
    var rest = limits
    return parts.prefix(mostParts).map { part in
      let shown = HTMLLogPart(part, redaction: redaction, limits: rest)
      rest.body -= shown.body.text.map { min($0.utf8.count, part.data.count) } ?? 0
      rest.image -= shown.body.kind == .image ? part.data.count : 0
      return shown
    }
  }

  private init(_ part: BodyPart, redaction: Redaction, limits: HTMLLogger.Limits) {
    name = part.name.map { redaction.text($0).printed }
    file = part.filename.map { redaction.text($0).printed }
    body =
      part.name.map { redaction.hides($0, in: .field) } ?? false
      ? HTMLLogBody.hidden : HTMLLogBody(of: part, redaction: redaction, limits: limits)
  }
}
