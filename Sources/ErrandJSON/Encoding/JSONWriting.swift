import Foundation

/// What of a `JSONEncoder` decides over its output.
struct JSONWritingSettings {
  var outputFormatting: JSONEncoder.OutputFormatting = []
  var dateEncodingStrategy: JSONEncoder.DateEncodingStrategy = .deferredToDate
  var dataEncodingStrategy: JSONEncoder.DataEncodingStrategy = .base64
  var keyEncodingStrategy: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
  var nonConformingFloatEncodingStrategy: JSONEncoder.NonConformingFloatEncodingStrategy = .throw
  var userInfo: [CodingUserInfoKey: any Sendable] = [:]
}

/// Writes values as JSON in one pass, with the results of Foundation's `JSONEncoder`.
///
/// Bytes, and errors with their case, path and type, are those of Foundation 6.3, but for this:
///
/// - Without `.sortedKeys` members stand in the order in which they were encoded, where Foundation's order changes from run to run.
///   A key that is encoded again keeps its first place, with the last value.
/// - A value whose `encode(to:)` throws leaves nothing behind if the error is caught and encoding goes on. Foundation puts what it
///   had written into the next value.
/// - Where Foundation ends the process an `EncodingError` is thrown: a second value in a single-value container, containers of two
///   kinds for one value or one key.
/// - Containers deeper than ``maximumDepth`` are refused at once, with Foundation's error. There a value of 100,000 levels overflows
///   the stack before its depth is seen.
/// - So are values for which the stack of the thread has no room, where the process would end.
/// - A `Decimal` that is none is treated as a `Double` that is none. Foundation writes `NaN`, which is no JSON.
/// - A super encoder of an unkeyed container takes its place when it is made and holds what was encoded by the end. Foundation inserts
///   it when its last reference goes away.
enum JSONWriting {
  /// The number of containers within each other that can be written, as in Foundation.
  static let maximumDepth = 511
  /// The number of values within each other that can be encoded, containers or not, as each takes from the stack.
  static let maximumValueDepth = 3 * (maximumDepth + 1)

  /// Encodes a value.
  ///
  /// Throws an `EncodingError`, and what the value's `encode(to:)` throws.
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

/// Something that makes the whole of a value unwritable, wherever it was met; of all the first is told.
enum JSONWritingProblem {
  /// More containers in each other than ``JSONWriting/maximumDepth``, or values than ``JSONWriting/maximumValueDepth``.
  case depth
  /// Values nested deeper than the stack of the thread has room for.
  case stack
  /// Use of containers that JSON has no text for.
  case misuse(EncodingError)

  /// The error for the value that was to be encoded, with its type in its place: whoever prints the error would go through all levels of the value.
  func error<Value: Encodable>(for _: Value) -> EncodingError {
    switch self {
    case .depth:
      .invalidValue(
        Value.self,
        .init(
          codingPath: [],
          debugDescription: """
            Unable to encode the given top-level value to JSON: it has more than \(JSONWriting.maximumDepth) containers \
            within each other, or more than \(JSONWriting.maximumValueDepth) values, containers or not.
            """))
    case .stack:
      .invalidValue(
        Value.self,
        .init(
          codingPath: [],
          debugDescription:
            "Unable to encode the given top-level value to JSON: it is nested deeper than this thread's stack has room for."
        ))
    case .misuse(let error): error
    }
  }
}
