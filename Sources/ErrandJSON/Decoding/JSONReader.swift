package import Foundation

package struct JSONReader: Sendable {
  /// The `JSONDecoder` that decodes in place of ErrandJSON; `nil`: ErrandJSON decodes.
  private let foreign: JSONDecoder?
  private let settings: DecodingSettings
  private let assumesTopLevelDictionary: Bool

  init(foreign: JSONDecoder?, _ settings: DecodingSettings, assumesTopLevelDictionary: Bool) {
    (self.foreign, self.settings) = (foreign, settings)
    self.assumesTopLevelDictionary = assumesTopLevelDictionary
  }

  package var dropsNulls: Bool { settings.dropsNulls }

  package var convertsSnakeCase: Bool { if case .snakeCase = settings.names { true } else { false } }

  package var readsJSON5: Bool { foreign?.allowsJSON5 == true }

  /// Decodes the value at a key path; `nil`: the whole text.
  ///
  /// Throws ``JSONKeyPath/Missing`` if the path has no value.
  package func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, from data: Data, at keyPath: JSONKeyPath? = nil
  ) throws -> Value {
    guard let keyPath else { return try decodeWhole(type, from: data) }
    return try keyPath.decode(type) { try decodeWhole($0, from: data) }
  }

  private func decodeWhole<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    if let foreign { return try decode(type, from: data, by: foreign) }
    let document = try document(of: data)
    do {
      return try JSONPlace(document).decode(type)
    } catch let error as DecodingError {
      throw error.located(in: document)
    }
  }

  private func document(of data: Data) throws -> JSONDocument {
    guard let text = JSONEncodings.utf8(data) else {
      throw DecodingError(JSONSyntaxError(.encoding, at: nil))
    }
    let asMembers = assumesTopLevelDictionary && text.first { !Self.isBlank($0) } != UInt8(ascii: "{")
    do {
      return try JSONDocument(text, settings: settings, asMembers: asMembers)
    } catch {
      throw DecodingError(JSONSyntaxError(error, in: text))
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  private func decode<Value: Decodable>(
    _ type: Value.Type, from data: Data, by decoder: JSONDecoder
  ) throws -> Value {
    if decoder.allowsJSON5 {
      guard let text = JSONEncodings.utf8(data) else {
        throw DecodingError(JSONSyntaxError(.encoding, at: nil))
      }
      // Foundation would accept a second byte order mark, and would take zero bytes for UTF-16 or UTF-32.
      if let first = text.first, text.starts(with: [0xEF, 0xBB, 0xBF]) || text.prefix(4).contains(0) {
        throw DecodingError(JSONSyntaxError(TapeFault(.unexpected(first), at: 0), in: text))
      }
      if let fault = text.withUnsafeBytes({ JSON5Text.fault(in: $0.bindMemory(to: UInt8.self)) }) {
        throw DecodingError(JSONSyntaxError(fault, in: text))
      }
      // A space is added, because Foundation's JSON5 decoder reads beyond the end of a final number.
      return try decodeDroppingNulls(type, from: text + Data(" ".utf8), by: decoder)
    }
    try JSONDepth.check(data)
    return try decodeDroppingNulls(type, from: data, by: decoder)
  }

  private func decodeDroppingNulls<Value: Decodable>(
    _ type: Value.Type, from data: Data, by decoder: JSONDecoder
  ) throws -> Value {
    let text = settings.dropsNulls ? try NullFreeJSON.text(of: data, by: decoder) : data
    // A subclass may look at the type, so the subclass gets the user's type in place of the wrapper.
    guard Swift.type(of: decoder) == JSONDecoder.self else { return try decoder.decode(type, from: text) }
    return try decoder.decode(GuardedValue<Value>.self, from: text).value
  }
}

private enum NullFreeJSON {
  static func text(of data: Data, by decoder: JSONDecoder) throws -> Data {
    let value = try decoder.decode(Part.self, from: data)
    return try JSONCoding().encode(value.droppingNulls)
  }

  private indirect enum Part: Codable {
    case null
    case bool(Bool)
    case integer(Int64)
    case decimal(Decimal)
    /// Infinity, NaN, negative zero, and numbers that fit neither `Int64` nor `Decimal`.
    case double(Double)
    case text(String)
    case array([Part])
    case object([String: Part])

    init(from decoder: any Decoder) throws {
      try JSONDepth.checkStack(of: decoder)
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(String.self) {
        self = .text(value)
      } else if let value = try? container.decode(Bool.self) {
        self = .bool(value)
      } else if let value = try? container.decode(Double.self),
        !value.isFinite || value.isZero && value.sign == .minus
      {
        self = .double(value)
      } else if let value = try? container.decode(Int64.self) {
        self = .integer(value)
      } else if let value = try? container.decode(Decimal.self) {
        self = .decimal(value)
      } else if let value = try? container.decode(Double.self) {
        self = .double(value)
      } else if (try? decoder.unkeyedContainer()) != nil {
        self = .array(try container.decode([Part].self))
      } else {
        self = .object(try container.decode([String: Part].self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .null: try container.encodeNil()
      case .bool(let value): try container.encode(value)
      case .integer(let value): try container.encode(value)
      case .decimal(let value): try container.encode(value)
      case .double(let value): try encode(value, to: container)
      case .text(let value): try container.encode(value)
      case .array(let values): try container.encode(values)
      case .object(let values): try container.encode(values)
      }
    }

    private func encode(_ value: Double, to container: any SingleValueEncodingContainer) throws {
      let text =
        value.isNaN ? "NaN" : value.isInfinite ? (value < 0 ? "-Infinity" : "Infinity") : "\(value)"
      try (container as? any JSONNumberTextContainer)?.encodeNumber(text: text)
    }

    var isNull: Bool { if case .null = self { true } else { false } }

    var droppingNulls: Part {
      switch self {
      case .array(let values): .array(values.filter { !$0.isNull }.map(\.droppingNulls))
      case .object(let values): .object(values.filter { !$0.value.isNull }.mapValues(\.droppingNulls))
      default: self
      }
    }
  }
}
