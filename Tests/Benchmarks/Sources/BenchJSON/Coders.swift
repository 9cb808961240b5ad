import ErrandJSON
import Foundation

/// What decodes, with the settings of a case.
protocol Decoding {
  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

/// What encodes.
protocol Encoding {
  func encode<Value: Encodable>(_ value: Value) throws -> Data
}

extension JSONDecoder: Decoding {}
extension JSONEncoder: Encoding {}
extension JSONCoding: Decoding, Encoding {}

extension Case {
  /// Foundation's.
  func foundationDecoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    if isForeign {
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      decoder.dateDecodingStrategy = .iso8601
    }
    return decoder
  }

  /// Foundation's.
  func foundationEncoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    if isForeign {
      encoder.keyEncodingStrategy = .convertToSnakeCase
      encoder.dateEncodingStrategy = .iso8601
    }
    encoder.outputFormatting = formatting
    return encoder
  }

  /// Errand's, both ways.
  func errandCoding() -> JSONCoding {
    var coding = isForeign ? JSONCoding.snakeCase.iso8601 : JSONCoding()
    coding.outputFormatting = formatting
    return coding
  }

  private var formatting: JSONEncoder.OutputFormatting {
    switch self {
    case .sorted: .sortedKeys
    case .pretty: [.prettyPrinted, .sortedKeys]
    default: []
    }
  }
}
