import Foundation

/// The outcome of decoding.
package enum Outcome: Hashable, Sendable, CustomStringConvertible {
  case value(Trace)
  case failure(ErrorFact)

  init<Value: CaseValue>(_ decode: () throws -> Value) {
    do {
      let value = try decode()
      var trace = Trace()
      trace.add(value)
      self = .value(trace)
    } catch {
      self = .failure(ErrorFact(error))
    }
  }

  package var isValue: Bool {
    if case .value = self { true } else { false }
  }

  package var description: String {
    switch self {
    case .value(let trace): "value: \(trace)"
    case .failure(let error): "error: \(error)"
    }
  }
}

/// A key of a coding path.
package struct PathElement: Hashable, Sendable, Traceable {
  let text: [UInt8]
  let number: Int?

  init(_ key: any CodingKey) { (text, number) = (Array(key.stringValue.utf8), key.intValue) }

  package func write(to trace: inout Trace) {
    trace.add(String(decoding: text, as: UTF8.self), number)
  }
}

/// The compared parts of an error: the case, the coding path, and the type or key, but not the text.
package struct ErrorFact: Hashable, Sendable, Traceable, CustomStringConvertible {
  package enum Kind: String, Sendable {
    case dataCorrupted, keyNotFound, typeMismatch, valueNotFound, another
  }

  package let kind: Kind
  /// The expected type, the missing key, or the description of an error that is not a decoding error.
  package let subject: [UInt8]
  package let path: [PathElement]

  package init(_ error: any Error) {
    switch error {
    case DecodingError.dataCorrupted(let context): self.init(.dataCorrupted, "", context)
    case DecodingError.keyNotFound(let key, let context):
      self.init(.keyNotFound, key.stringValue, context)
    case DecodingError.typeMismatch(let type, let context):
      self.init(.typeMismatch, String(reflecting: type), context)
    case DecodingError.valueNotFound(let type, let context):
      self.init(.valueNotFound, String(reflecting: type), context)
    default: self.init(.another, String(reflecting: error), nil)
    }
  }

  init(_ kind: Kind, _ subject: String, _ context: DecodingError.Context?) {
    (self.kind, self.subject) = (kind, Array(subject.utf8))
    path = context?.codingPath.map(PathElement.init) ?? []
  }

  /// The comparable part of an error caught inside `init(from:)`.
  ///
  /// In Foundation, malformed data is not yet a `DecodingError` there, so the error has no path.
  var insideOfDecoding: ErrorFact {
    switch kind {
    case .dataCorrupted: ErrorFact(.dataCorrupted, "", nil)
    case .another where !String(decoding: subject, as: UTF8.self).contains("CaseError"):
      ErrorFact(.dataCorrupted, "", nil)
    default: self
    }
  }

  package func write(to trace: inout Trace) {
    trace.add(kind.rawValue, String(decoding: subject, as: UTF8.self), path)
  }

  package var description: String {
    let keys = path.map {
      "\(String(decoding: $0.text, as: UTF8.self).debugDescription)\($0.number.map { "#\($0)" } ?? "")"
    }
    return
      "\(kind.rawValue)(\(String(decoding: subject, as: UTF8.self))) at [\(keys.joined(separator: ", "))]"
  }
}

/// An error of the types of the catalogue.
enum CaseError: Error {
  case refused(String)
}
