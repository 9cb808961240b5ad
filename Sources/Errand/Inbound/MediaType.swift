/// A media type: type, subtype and parameters (RFC 9110 section 8.3.1).
struct MediaType: Sendable, Hashable, CustomStringConvertible {
  /// One `name=value`.
  struct Parameter: Sendable, Hashable {
    /// In lower case.
    var name: String
    /// Without its quotes.
    var value: String
  }

  /// In lower case, such as `text`.
  var type: String
  /// In lower case, such as `html`.
  var subtype: String
  /// In the order they were written.
  var parameters: [Parameter] = []

  /// Reads a `Content-Type`, or `nil` when it does not begin with `type/subtype`; a broken parameter is skipped.
  init?(_ text: String) {
    var scanner = MediaTypeScanner(text)
    guard let type = scanner.token(), scanner.take("/"), let subtype = scanner.token(), scanner.endsPart()
    else { return nil }
    self.type = type.lowercased()
    self.subtype = subtype.lowercased()
    while scanner.skipToParameter() {
      guard let name = scanner.token(), scanner.take("="), let value = scanner.value() else { continue }
      parameters.append(Parameter(name: name.lowercased(), value: value))
    }
  }

  /// The media type of a message, or `nil` when none can be read; the last of several fields counts.
  init?(of headers: HTTPHeaders) {
    guard let text = headers.values(for: "Content-Type").last else { return nil }
    self.init(text)
  }

  /// The value of a parameter, its name in any case; the first one counts.
  subscript(parameter: String) -> String? {
    parameters.first { $0.name == parameter.lowercased() }?.value
  }

  /// `type/subtype`, without parameters.
  var description: String { "\(type)/\(subtype)" }

  /// Whether the content is JSON: `application/json`, `text/json`, or a type with the suffix `+json` (RFC 6839).
  var isJSON: Bool { subtype == "json" || subtype.hasSuffix("+json") }
}
