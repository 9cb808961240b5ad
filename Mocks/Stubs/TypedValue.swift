import ErrandJSON
import Errand
import Foundation

/// The value of a response, made into the bytes that its request would read it from.
struct TypedValue: Sendable {
  private let value: any Encodable & Sendable
  private let serializer: any ResponseSerializer
  /// The coding of the endpoint, for an answer without a dispatch.
  private let coding: JSONCoding
  /// Instead of any coding; `nil` when none was given.
  private let encoder: JSONCoding?

  init<R: Request>(_ value: R.Response, of request: R, encoder: JSONEncoder?) where R.Response: Encodable {
    self.value = value
    self.encoder = encoder.map { JSONCoding(decoder: nil, encoder: $0) }
    coding = JSONCoding(of: request)
    serializer = request.responseSerializer
  }

  private enum Form {
    case bytes(Data), text(String)
    case json(keyPath: String?)
  }

  /// The settings of a serializer that reads JSON; `nil` for another one.
  private var jsonSettings: (keyPath: String?, decoder: JSONDecoder?)? {
    (serializer as? any JSONReading)?.jsonSettings
  }

  /// What is read as JSON is JSON; otherwise bytes and text are what they are.
  private var form: Form {
    if let json = jsonSettings { return .json(keyPath: json.keyPath) }
    if let data = value as? Data { return .bytes(data) }
    if let text = value as? String { return .text(text) }
    return .json(keyPath: nil)
  }

  /// Returns the answer of a stub, made anew for a dispatch that reads JSON by a coding of its own.
  func answer(status: HTTPResponse.Status, stubName: String) -> MockAnswer {
    var answer = answer(for: nil, status: status, stubName: stubName)
    answer.remade = { self.answer(for: $0, status: status, stubName: stubName) }
    return answer
  }

  private func answer(for dispatched: JSONCoding?, status: HTTPResponse.Status, stubName: String)
    -> MockAnswer
  {
    do {
      return .data(try data(for: dispatched), contentType: contentType, status: status)
    } catch {
      let problem = Self.clause(error)
      return .failure(TransportError(.invalidStub, "the stub \(stubName) has no answer: \(problem)"))
    }
  }

  private var contentType: String {
    switch form {
    case .bytes: "application/octet-stream"
    case .text: "text/plain; charset=utf-8"
    case .json: "application/json"
    }
  }

  /// - Parameter dispatched: how the dispatch that is answered reads JSON; `nil` when it is not known.
  private func data(for dispatched: JSONCoding?) throws -> Data {
    switch form {
    case .bytes(let data): return data
    case .text(let text): return Data(text.utf8)
    case .json(let keyPath):
      var coding = dispatched ?? coding
      if let decoder = jsonSettings?.decoder { coding = coding.reading(by: decoder) }
      return Self.wrapped(try (encoder ?? coding.writingWhatItReads).encode(value), at: keyPath ?? "")
    }
  }

  /// JSON with the value at the key path: in objects, or as the element of an array where there is a number.
  private static func wrapped(_ json: Data, at keyPath: String) -> Data {
    keyPath.split(separator: ".").reversed().reduce(json) { inner, name in
      if let index = Int(name), index >= 0 {
        return Data("[\(String(repeating: "null,", count: index))".utf8) + inner + Data("]".utf8)
      }
      var member = Array("{".utf8)
      JSONStringWriter.append(name.utf8, to: &member)
      return Data(member + Array(":".utf8)) + inner + Data("}".utf8)
    }
  }

  /// Why a value was not encoded.
  private static func clause(_ error: any Error) -> String {
    (error as? EncodingError)?.clause ?? String(describing: error)
  }
}

/// A serializer that may decode JSON, whatever the type of the value.
private protocol JSONReading {
  var jsonSettings: (keyPath: String?, decoder: JSONDecoder?)? { get }
}

extension StandardSerializer: JSONReading {}
