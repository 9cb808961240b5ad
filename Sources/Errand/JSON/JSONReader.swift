import Foundation

/// What decodes foreign JSON: typed responses, files and reports pass here, so that depth is judged in one place.
struct JSONReader: Sendable {
  let decoder: JSONDecoder
  let dropsNulls: Bool

  init(_ coding: JSONCoding) {
    self.init(decoder: coding.makeDecoder(), dropsNulls: coding.dropsNulls)
  }

  init(decoder: JSONDecoder, dropsNulls: Bool) {
    self.decoder = decoder
    self.dropsNulls = dropsNulls
  }

  func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, from data: Data, at keyPath: JSONKeyPath? = nil
  ) throws -> Value {
    // Foundation reads JSON5 by another reader, which refuses what is nested too deep.
    if !decoder.allowsJSON5 { try JSONDepth.check(data) }
    let isUntyped = keyPath == nil && (Value.self == JSONValue.self || Value.self == JSONValue?.self)
    guard isUntyped || dropsNulls else { return try decode(type, from: data, through: keyPath) }
    var value = try value(of: data)
    if dropsNulls { value = value.droppingNulls() }
    if isUntyped {
      // Not `nil`, which may be a JSONValue as well.
      let present: JSONValue? = Value.self == JSONValue?.self && value.isNull ? .none : .some(value)
      if let present = present as? Value { return present }
    }
    return try decode(type, from: Data(try value.text().utf8), through: keyPath)
  }

  private func decode<Value: Decodable>(
    _ type: Value.Type, from data: Data, through keyPath: JSONKeyPath?
  ) throws -> Value {
    try keyPath?.decode(type, from: data, by: decoder) ?? decoder.decode(type, from: data)
  }

  /// The tree with every digit, which a decoder does not give; where only the decoder can read the text, what it gives.
  private func value(of data: Data) throws -> JSONValue {
    guard decoder.isPlain, !decoder.allowsJSON5, !decoder.assumesTopLevelDictionary else {
      return try decoder.decode(JSONValue.self, from: data)
    }
    do {
      return try JSONParser.parse(data)
    } catch {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "the body is not JSON: \(error.reason)"))
    }
  }
}
