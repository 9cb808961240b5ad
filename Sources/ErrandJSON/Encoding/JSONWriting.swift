import Foundation

struct JSONWritingSettings {
  var outputFormatting: JSONEncoder.OutputFormatting = []
  var dateEncodingStrategy: JSONEncoder.DateEncodingStrategy = .deferredToDate
  var dataEncodingStrategy: JSONEncoder.DataEncodingStrategy = .base64
  var keyEncodingStrategy: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
  var nonConformingFloatEncodingStrategy: JSONEncoder.NonConformingFloatEncodingStrategy = .throw
  var userInfo: [CodingUserInfoKey: any Sendable] = [:]
}

/// Writes JSON like Foundation's `JSONEncoder`; <doc:JSONLikeFoundation> lists the differences.
enum JSONWriting {
  /// The maximum number of nested containers.
  static let maximumDepth = 511
  /// The maximum number of nested scopes and calls of `JSONScope.forward`, because each level uses stack.
  static let maximumValueDepth = 3 * (maximumDepth + 1)

  static func encode<Value: Encodable>(
    _ value: Value, settings: consuming JSONWritingSettings
  ) throws -> Data {
    let session = JSONWritingSession(settings)
    defer { session.state.pointee.scopes = [] }
    let scope = JSONScope(session)
    scope.begin(owner: nil, key: JSONNoKey(), level: 0)
    do {
      if try !JSONValueWriter.writeLeaf(value, in: scope, owner: scope, level: 0, key: JSONNoKey()) {
        try value.encode(to: scope)
      } else {
        scope.kind = .single
      }
      if scope.kind == .empty { throw nothing(in: value) }
      try scope.finish()
    } catch {
      scope.abandon()
      throw session.problem?.error(for: value) ?? error
    }
    return session.state.pointee.buffer.take()
  }

  private static func nothing<Value: Encodable>(in value: Value) -> EncodingError {
    .invalidValue(
      Value.self,
      .init(codingPath: [], debugDescription: "Top-level \(Value.self) did not encode any values."))
  }
}

enum JSONWritingProblem {
  case depth
  case stack
  /// Containers used in a way that JSON cannot represent.
  case misuse(EncodingError)

  /// Returns the error without the value, because printing a deeply nested value could exhaust the stack.
  func error<Value: Encodable>(for _: Value) -> EncodingError {
    switch self {
    case .depth:
      .invalidValue(
        Value.self,
        .init(
          codingPath: [],
          debugDescription: """
            Unable to encode the given top-level value to JSON: the value has more than \(JSONWriting.maximumDepth) nested \
            containers, or more than \(JSONWriting.maximumValueDepth) nested values.
            """))
    case .stack:
      .invalidValue(
        Value.self,
        .init(
          codingPath: [],
          debugDescription:
            "Unable to encode the given top-level value to JSON: the value is nested too deeply for the stack of this thread."
        ))
    case .misuse(let error): error
    }
  }
}
