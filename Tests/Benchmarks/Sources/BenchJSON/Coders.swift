import ErrandJSON
import Foundation

/// A decoder of either engine, with the settings of a case.
protocol Decoding {
  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

/// An encoder of either engine.
protocol Encoding {
  func encode<Value: Encodable>(_ value: Value) throws -> Data
}

extension JSONDecoder: Decoding {}
extension JSONEncoder: Encoding {}
extension JSONCoding: Decoding, Encoding {}

extension Case {
  /// Foundation's decoder with the settings of the case.
  func foundationDecoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    if isForeign {
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      decoder.dateDecodingStrategy = .iso8601
    }
    return decoder
  }

  /// Foundation's encoder with the settings of the case.
  func foundationEncoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    if isForeign {
      encoder.keyEncodingStrategy = .convertToSnakeCase
      encoder.dateEncodingStrategy = .iso8601
    }
    encoder.outputFormatting = formatting
    return encoder
  }

  /// Errand's settings of the case, for decoding and encoding.
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
