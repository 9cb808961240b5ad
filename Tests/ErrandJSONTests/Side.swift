import ErrandJSON
import Foundation
import Testing

/// The decoder under test.
///
/// Most facts hold for both.
enum Side: CaseIterable, Sendable {
  case ours, foundation

  /// The error for unreadable data.
  ///
  /// Only ErrandJSON's error has a coding path.
  func unreadable(_ path: String) -> String { "dataCorrupted \(self == .ours ? path : "/")" }

  /// Decodes with settings that both decoders have.
  func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, _ document: Data, _ settings: (JSONDecoder) -> Void = { _ in }
  ) throws -> Value {
    let decoder = JSONDecoder()
    settings(decoder)
    switch self {
    case .foundation: return try decoder.decode(type, from: document)
    case .ours:
      var coding = JSONCoding()
      coding.dateDecodingStrategy = decoder.dateDecodingStrategy
      coding.dataDecodingStrategy = decoder.dataDecodingStrategy
      coding.keyDecodingStrategy = decoder.keyDecodingStrategy
      coding.nonConformingFloatDecodingStrategy = decoder.nonConformingFloatDecodingStrategy
      coding.allowsJSON5 = decoder.allowsJSON5
      coding.assumesTopLevelDictionary = decoder.assumesTopLevelDictionary
      return try coding.decode(type, from: document)
    }
  }

  func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, _ text: String, _ settings: (JSONDecoder) -> Void = { _ in }
  ) throws -> Value {
    try decode(type, Data(text.utf8), settings)
  }

  /// Returns the decoded value as text, or the error as `case(type) path`.
  func result<Value: Decodable>(
    _ type: Value.Type, _ text: String, _ settings: (JSONDecoder) -> Void = { _ in }
  ) -> String {
    result(type, Data(text.utf8), settings)
  }

  func result<Value: Decodable>(
    _ type: Value.Type, _ document: Data, _ settings: (JSONDecoder) -> Void = { _ in }
  ) -> String {
    attempt { try decode(type, document, settings) }
  }
}

/// Returns the result of an operation as text, or the error as `case(type) path`, with integer keys in
/// brackets.
func attempt<Value>(_ work: () throws -> Value) -> String {
  do {
    return "\(try work())"
  } catch let error as DecodingError {
    switch error {
    case .dataCorrupted(let context): return "dataCorrupted \(path(context.codingPath))"
    case .keyNotFound(let key, let context):
      return "keyNotFound(\(key.stringValue)) \(path(context.codingPath))"
    case .typeMismatch(let type, let context):
      return "typeMismatch(\(type)) \(path(context.codingPath))"
    case .valueNotFound(let type, let context):
      return "valueNotFound(\(type)) \(path(context.codingPath))"
    @unknown default: return "\(error)"
    }
  } catch {
    return "\(error)"
  }
}

/// Returns a path such as `/a/Index 1[1]`.
func path(_ keys: [any CodingKey]) -> String {
  keys.isEmpty
    ? "/" : keys.map { "/\($0.stringValue)" + ($0.intValue.map { "[\($0)]" } ?? "") }.joined()
}

/// A coding key with any text.
struct AnyKey: CodingKey, Hashable {
  let stringValue: String
  var intValue: Int? { Int(stringValue) }

  init(_ text: String) { stringValue = text }
  init(stringValue: String) { self.init(stringValue) }
  init(intValue: Int) { self.init("\(intValue)") }
}

/// A type that runs a closure with its decoder.
struct Asking: Decodable {
  let answer: String

  init(from decoder: any Decoder) throws { answer = try Self.question(decoder) }

  @TaskLocal static var question: @Sendable (any Decoder) throws -> String = { _ in "" }

  static func ask(
    _ side: Side, _ text: String, _ question: @escaping @Sendable (any Decoder) throws -> String
  ) -> String {
    $question.withValue(question) { attempt { try side.decode(Asking.self, text).answer } }
  }
}
