import ErrandJSON
package import Foundation

extension DecodingError {
  /// A longer body is not looked into.
  private static let bodyLimit = 4_194_304

  /// The error in the words of a body, and with an advice where the body has one.
  ///
  /// On Linux a decoder of Foundation says "The given data was not valid JSON." of every text it cannot read, and also of `1.5` where
  /// an `Int` was asked for; that is looked up in the text.
  ///
  /// - Parameters:
  ///   - body: the text that was decoded.
  ///   - name: what the reason calls the text.
  package func explained(by body: Data, as name: String = "the body") -> DecodingError {
    switch self {
    case .dataCorrupted(let context)
    where context.codingPath.isEmpty && context.debugDescription.contains("not valid JSON"):
      do {
        if let jsonSyntaxError { throw jsonSyntaxError }
        _ = try JSONTree.parse(body)
      } catch {
        return corrupted("\(name) is not JSON: \(error)")
      }
      return corrupted("a number does not fit its type")
    case .keyNotFound(let key, let context):
      return advice(on: key, in: context, body).map { .keyNotFound(key, context.adding($0)) } ?? self
    case .typeMismatch(let type, let context) where type is Double.Type:
      return Self.isDate(at: context, in: body) ? .typeMismatch(type, context.adding(.dates)) : self
    default: return self
    }
  }

  private func corrupted(_ reason: String) -> DecodingError {
    .dataCorrupted(Context(codingPath: [], debugDescription: reason, underlyingError: self))
  }

  /// What is said of a missing member that has another spelling in the body.
  private func advice(on key: any CodingKey, in context: Context, _ body: Data) -> Advice? {
    guard case .object(let members) = Self.value(at: context, in: body) else { return nil }
    let name = key.stringValue
    // A strategy changed the name before the decoder saw it.
    if members[name] != nil { return .renamed(name) }
    guard let written = JSONSpelling.name(like: name, in: members), written.utf8.count <= 100 else {
      return nil
    }
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
  /// The same with an advice, which travels as the underlying error.
  fileprivate func adding(_ advice: Advice) -> Self {
    Self(
      codingPath: codingPath, debugDescription: debugDescription,
      underlyingError: AdvisedDecoding(advice: advice, underlying: underlyingError))
  }
}

/// The advice on a decoding error.
private struct AdvisedDecoding: Advised, CustomStringConvertible {
  let advice: Advice?
  let underlying: (any Error)?

  var description: String { advice?.text ?? "" }
}

extension DecodingError: Advised {
  /// What ``explained(by:as:decode:)`` has found.
  var advice: Advice? {
    switch self {
    case .keyNotFound(_, let context), .typeMismatch(_, let context):
      (context.underlyingError as? AdvisedDecoding)?.advice
    default: nil
    }
  }
}

extension DecodingError {
  /// What was wrong and where, as a clause for messages: `data.items[3].id: expected Int, found a string`.
  package var clause: String {
    switch self {
    case .typeMismatch(let type, let context):
      let found = Self.found(in: context).map { ", found \($0)" } ?? ""
      return Self.place(context) + "expected \(Self.name(of: type))\(found)"
    case .valueNotFound(let type, let context):
      return Self.place(context) + "expected \(Self.name(of: type)), found null"
    case .keyNotFound(let key, let context):
      let missing = Self.place(context) + "there is no \"\(key.stringValue)\""
      return switch advice {
      case .snakeCase(let name), .otherSpelling(let name): "\(missing), but there is \"\(name)\""
      default: missing
      }
    case .dataCorrupted(let context):
      return Self.place(context) + Self.withoutFullStop(context.debugDescription)
    @unknown default:
      return "the body could not be decoded"
    }
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

  /// Foundation names containers by the Swift type it would make of them.
  private static func name(of type: any Any.Type) -> String {
    if type is [String: Any].Type { return "an object" }
    if type is [Any].Type { return "an array" }
    return "\(type)"
  }

  /// What Foundation found.
  ///
  /// It says so only in its text: `Expected to decode Int but found a string instead.`
  private static func found(in context: Context) -> String? {
    let text = context.debugDescription
    guard let before = text.range(of: " but found "), let after = text.range(of: " instead"),
      before.upperBound < after.lowerBound
    else { return nil }
    let found = String(text[before.upperBound..<after.lowerBound])
    return kinds[found] ?? found
  }

  /// In the words of JSON what Foundation says in those of Swift.
  private static let kinds = [
    "bool": "a boolean", "number": "a number", "a dictionary": "an object", "null value": "null",
  ]

  private static func withoutFullStop(_ text: String) -> String {
    text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}
