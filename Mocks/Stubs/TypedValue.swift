import ErrandJSON
import Errand
import Foundation

struct TypedValue: Sendable {
  private let value: any Encodable & Sendable
  private let serializer: any ResponseSerializer
  private let coding: JSONCoding
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

  private var jsonSettings: (keyPath: String?, decoder: JSONDecoder?)? {
    (serializer as? any JSONReading)?.jsonSettings
  }

  private var form: Form {
    if let json = jsonSettings { return .json(keyPath: json.keyPath) }
    if let data = value as? Data { return .bytes(data) }
    if let text = value as? String { return .text(text) }
    return .json(keyPath: nil)
  }

  /// Returns the answer with the encoded value.
  ///
  /// A ``MockTransport`` encodes the value again if the JSON coding of the request is known.
  func answer(status: HTTPResponse.Status, stubName: String) -> MockAnswer {
    var answer = answer(for: nil, status: status, stubName: stubName)
    answer.reencoded = { self.answer(for: $0, status: status, stubName: stubName) }
    return answer
  }

  private func answer(for dispatched: JSONCoding?, status: HTTPResponse.Status, stubName: String)
    -> MockAnswer
  {
    do {
      return .data(try data(for: dispatched), contentType: contentType, status: status)
    } catch {
      let problem = Self.clause(error)
      return .failure(
        TransportError(.invalidStub, "the answer of the stub \(stubName) cannot be built: \(problem)"))
    }
  }

  private var contentType: String {
    switch form {
    case .bytes: "application/octet-stream"
    case .text: "text/plain; charset=utf-8"
    case .json: "application/json"
    }
  }

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

  /// Returns JSON with `json` at a key path.
  ///
  /// A nonnegative integer in the path is an array index.
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

  private static func clause(_ error: any Error) -> String {
    (error as? EncodingError)?.clause ?? String(describing: error)
  }
}

private protocol JSONReading {
  var jsonSettings: (keyPath: String?, decoder: JSONDecoder?)? { get }
}

extension StandardSerializer: JSONReading {}
