import ErrandJSON
package import Foundation

extension DecodingError {
  private static let bodyLimit = 4_194_304

  package func explained(
    by body: Data, as name: String = "the body", reader: JSONReader? = nil
  ) -> DecodingError {
    switch self {
    case .dataCorrupted(let context)
    where context.codingPath.isEmpty && context.debugDescription.contains("not valid JSON"):
      do {
        if let jsonSyntaxError { throw jsonSyntaxError }
        if reader?.readsJSON5 == true {
          return corrupted("\(name) is not JSON5", because: NotJSON(decoding: self))
        }
        _ = try JSONTree.parse(body)
      } catch {
        return corrupted("\(name) is not JSON: \(error)", because: NotJSON(decoding: self))
      }
      return corrupted("a number does not fit its type", because: self)
    case .keyNotFound(let key, let context):
      guard let advice = advice(on: key, in: context, body: body, reader: reader) else { return self }
      return .keyNotFound(key, context.adding(advice, at: jsonPosition))
    case .typeMismatch(let type, let context) where type is Double.Type:
      guard Self.isDate(at: context, in: body) else { return self }
      return .typeMismatch(type, context.adding(.dates, at: jsonPosition))
    default: return self
    }
  }

  private func corrupted(_ reason: String, because cause: any Error) -> DecodingError {
    .dataCorrupted(Context(codingPath: [], debugDescription: reason, underlyingError: cause))
  }

  private func advice(
    on key: any CodingKey, in context: Context, body: Data, reader: JSONReader?
  ) -> Advice? {
    guard case .object(let members) = Self.value(at: context, in: body) else { return nil }
    let name = key.stringValue
    // With `convertFromSnakeCase`, the decoder searches among the converted names.
    let converts = reader?.convertsSnakeCase == true
    if members[name] != nil { return converts ? .converted(name) : nil }
    guard let written = JSONSpelling.name(like: name, in: members), written.utf8.count <= 100 else {
      return nil
    }
    if converts, JSONCoding.camelCased(written) != written { return .converted(written) }
    return JSONCoding.camelCased(written) == name ? .snakeCase(written) : .otherSpelling(written)
  }

  private static func isDate(at context: Context, in body: Data) -> Bool {
    guard case .string(let text) = value(at: context, in: body) else { return false }
    return text.wholeMatch(of: #/\d{4}-\d{2}-\d{2}(T\d{2}.*)?/#) != nil
  }

  private static func value(at context: Context, in body: Data) -> JSONValue? {
    guard body.count <= bodyLimit, let tree = try? JSONTree.parse(body) else { return nil }
    return JSONSpelling.value(at: context.codingPath, in: tree)
  }
}

extension DecodingError.Context {
  fileprivate func adding(_ advice: Advice, at position: JSONPosition?) -> Self {
    Self(
      codingPath: codingPath, debugDescription: debugDescription,
      underlyingError: AdvisedDecoding(advice: advice, jsonPosition: position))
  }
}

private struct AdvisedDecoding: Advised, JSONPositioned, CustomStringConvertible {
  let advice: Advice?
  let jsonPosition: JSONPosition?

  var description: String {
    [jsonPosition.map { "at \($0)" }, advice?.text].compactMap(\.self).joined(separator: ". ")
  }
}

private struct NotJSON: JSONPositioned, CustomStringConvertible {
  let decoding: DecodingError

  var jsonPosition: JSONPosition? { decoding.jsonPosition }
  var description: String { "\(decoding)" }
}

extension DecodingError: Advised {
  var advice: Advice? {
    if let advised = underlyingError as? AdvisedDecoding { return advised.advice }
    if underlyingError is NotJSON { return .notJSON }
    return whereabouts.isEmpty ? nil : .beyondExcerpt
  }

  private var underlyingError: (any Error)? {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
      .dataCorrupted(let context):
      context.underlyingError
    @unknown default: nil
    }
  }
}

extension DecodingError {
  /// The problem and its location: `data.items[3].id: expected Int, found a string`.
  package var clause: String { clause(at: whereabouts) }

  var clauseWithoutPlace: String { clause(at: "") }

  private func clause(at whereabouts: String) -> String {
    switch self {
    case .typeMismatch(let type, let context):
      let said = Self.withoutFullStop(context.debugDescription)
      let found = Self.found(in: context).map { ", found \($0)" } ?? (said.isEmpty ? "" : ": \(said)")
      return Self.place(context) + "expected \(Self.name(of: type))\(found)\(whereabouts)"
    case .valueNotFound(let type, let context):
      return Self.place(context) + "expected \(Self.name(of: type)), found null\(whereabouts)"
    case .keyNotFound(let key, let context):
      let missing = Self.place(context) + "there is no \"\(key.stringValue)\""
      switch advice {
      case .snakeCase(let name), .otherSpelling(let name), .converted(let name):
        let other = name == key.stringValue ? "" : ", but there is \"\(name)\""
        return missing + other + whereabouts
      default: return missing + whereabouts
      }
    case .dataCorrupted(let context):
      // The reason for invalid JSON includes the position, if known.
      let isTold =
        jsonSyntaxError != nil || context.underlyingError is NotJSON
        || context.underlyingError is DecodingError
      return Self.place(context) + Self.withoutFullStop(context.debugDescription)
        + (isTold ? "" : whereabouts)
    @unknown default:
      return "the body could not be decoded"
    }
  }

  /// The position as the end of a clause; empty if unknown, or within the shown excerpt.
  private var whereabouts: String {
    guard let jsonPosition, jsonPosition.offset >= Redaction.shortExcerpt else { return "" }
    return ", at \(jsonPosition)"
  }

  private static func place(_ context: Context) -> String {
    var path = ""
    for key in context.codingPath {
      if let index = key.intValue {
        path += "[\(index)]"
      } else {
        path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    return path.isEmpty ? "" : "\(path): "
  }

  private static func name(of type: any Any.Type) -> String {
    if type is [String: Any].Type { return "an object" }
    if type is [Any].Type { return "an array" }
    return "\(type)"
  }

  /// Returns the kind of the found value, if the message has the form of Foundation's messages.
  private static func found(in context: Context) -> String? {
    let text = context.debugDescription
    guard let before = text.range(of: " but found "), let after = text.range(of: " instead"),
      before.upperBound < after.lowerBound
    else { return nil }
    let found = String(text[before.upperBound..<after.lowerBound])
    return kinds[found] ?? found
  }

  private static let kinds = [
    "bool": "a boolean", "number": "a number", "a dictionary": "an object", "null value": "null",
  ]

  private static func withoutFullStop(_ text: String) -> String {
    text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}
