/// What media types are accepted: `application/json`, `text/*`, `application/*+json` or `*/*`
/// (RFC 9110 section 12.5.1).
struct MediaRange: Sendable, Hashable, CustomStringConvertible {
  /// As it was written, without parameters.
  let description: String
  private let type: String
  private let subtype: String

  /// A range; text that is none accepts only a media type written just like it, which is none.
  init(_ text: String) {
    let range = MediaType(text)
    type = range?.type ?? text
    subtype = range?.subtype ?? ""
    description = range?.description ?? text
  }

  /// The ranges of an `Accept`, without those of weight 0.
  static func list(_ accept: String) -> [MediaRange] {
    accept.split(separator: ",")
      .filter { part in
        let weight = MediaType(String(part))?["q"].flatMap(Double.init)
        return weight != 0 && part.contains { $0 != " " && $0 != "\t" }
      }
      .map { MediaRange(String($0)) }
  }

  /// Whether it accepts the media type, whatever its parameters.
  func accepts(_ media: MediaType) -> Bool {
    guard type == "*" || type == media.type else { return false }
    if subtype == "*" || subtype == media.subtype { return true }
    return subtype.hasPrefix("*+") && media.subtype.hasSuffix(subtype.dropFirst())
  }
}
