import Foundation

/// What came of decoding.
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

/// One key of a coding path.
package struct PathElement: Hashable, Sendable, Traceable {
  let text: [UInt8]
  let number: Int?

  init(_ key: any CodingKey) { (text, number) = (Array(key.stringValue.utf8), key.intValue) }

  package func write(to trace: inout Trace) {
    trace.add(String(decoding: text, as: UTF8.self), number)
  }
}

/// Of an error what is compared: its case, its coding path, and its type or key; not its text.
package struct ErrorFact: Hashable, Sendable, Traceable, CustomStringConvertible {
  package enum Kind: String, Sendable {
    case dataCorrupted, keyNotFound, typeMismatch, valueNotFound, another
  }

  package let kind: Kind
  /// The name of the type that was wanted, the key that was not there, or the whole of an error that is none of decoding.
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

  /// What can be compared of an error that is caught within `init(from:)`: what is malformed is not yet a `DecodingError`
  /// there with Foundation, so it has no path.
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

/// An error of the types here.
enum CaseError: Error {
  case refused(String)
}
