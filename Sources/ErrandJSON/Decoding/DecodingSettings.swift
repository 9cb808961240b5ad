import Foundation

struct DecodingSettings: Sendable {
  enum Dates: Sendable {
    case deferredToDate
    case secondsSince1970
    case millisecondsSince1970
    case iso8601(isStrict: Bool)
    case custom(@Sendable (any Decoder) throws -> Date)
  }

  enum Names: Sendable {
    case asWritten
    case snakeCase
    case custom(@Sendable ([any CodingKey]) -> any CodingKey)
  }

  var dates = Dates.deferredToDate
  var names = Names.asWritten
  var data = JSONDecoder.DataDecodingStrategy.base64
  var floats = JSONDecoder.NonConformingFloatDecodingStrategy.throw
  var dropsNulls = false
  var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  var keepsNames: Bool { if case .asWritten = names { true } else { false } }

  func converted(_ name: String, at path: @autoclosure () -> [any CodingKey]) -> String {
    switch names {
    case .asWritten: name
    case .snakeCase: Self.camelCased(name)
    case .custom(let convert): convert(path() + [NameKey(name)]).stringValue
    }
  }

  /// Converts a name as `convertFromSnakeCase` does.
  static func camelCased(_ name: String) -> String {
    let words = name.split(separator: "_")
    guard let first = words.first, let last = words.last, words.count > 1 else { return name }
    let joined = first.lowercased() + words.dropFirst().map { $0.capitalized }.joined()
    return name[..<first.startIndex] + joined + name[last.endIndex...]
  }
}

struct NameKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ name: String) { (stringValue, intValue) = (name, nil) }
  init(stringValue: String) { self.init(stringValue) }
  init(intValue: Int) { (stringValue, self.intValue) = ("Index \(intValue)", intValue) }
}
