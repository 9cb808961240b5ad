import Foundation

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
