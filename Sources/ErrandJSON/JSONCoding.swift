public import Foundation

/// The settings for encoding and decoding JSON, as a value, for an agent or a request.
///
/// ```swift
/// var configuration = AgentConfiguration()
/// configuration.jsonCoding = .snakeCase.iso8601
/// ```
///
/// Most settings have the names and defaults of `JSONDecoder` and `JSONEncoder`. <doc:JSONLikeFoundation>
/// lists differences in the results. With ``allowsJSON5``, a `JSONDecoder` decodes the text.
public struct JSONCoding: Sendable {
  /// The strategy for decoding dates; `.deferredToDate` by default: seconds since 2001.
  public var dateDecodingStrategy: JSONDecoder.DateDecodingStrategy = .deferredToDate {
    didSet { ownDecoder = nil }
  }
  /// The strategy for decoding names of members; `.useDefaultKeys` by default.
  public var keyDecodingStrategy: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys {
    didSet { ownDecoder = nil }
  }
  /// The strategy for decoding `Data`; `.base64` by default.
  public var dataDecodingStrategy: JSONDecoder.DataDecodingStrategy = .base64 { didSet { ownDecoder = nil } }
  /// The strategy for decoding infinite numbers and NaN; `.throw` by default.
  public var nonConformingFloatDecodingStrategy: JSONDecoder.NonConformingFloatDecodingStrategy = .throw {
    didSet { ownDecoder = nil }
  }
  /// True if JSON5 is accepted; `false` by default.
  public var allowsJSON5 = false { didSet { ownDecoder = nil } }
  /// True if members without surrounding braces are accepted; `false` by default.
  public var assumesTopLevelDictionary = false { didSet { ownDecoder = nil } }
  /// True if decoding skips null elements of arrays and treats null members as missing, on every level;
  /// `false` by default.
  public var dropsNulls = false

  /// The strategy for encoding dates; `.deferredToDate` by default: seconds since 2001.
  public var dateEncodingStrategy: JSONEncoder.DateEncodingStrategy = .deferredToDate {
    didSet { ownEncoder = nil }
  }
  /// The strategy for encoding names of members; `.useDefaultKeys` by default.
  public var keyEncodingStrategy: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys {
    didSet { ownEncoder = nil }
  }
  /// The strategy for encoding `Data`; `.base64` by default.
  public var dataEncodingStrategy: JSONEncoder.DataEncodingStrategy = .base64 { didSet { ownEncoder = nil } }
  /// The strategy for encoding infinite numbers and NaN; `.throw` by default.
  public var nonConformingFloatEncodingStrategy: JSONEncoder.NonConformingFloatEncodingStrategy = .throw {
    didSet { ownEncoder = nil }
  }
  /// The options for the format of encoded text; empty by default.
  public var outputFormatting: JSONEncoder.OutputFormatting = [] { didSet { ownEncoder = nil } }

  /// The `userInfo` of coders, added to the `userInfo` of a given decoder or encoder; empty by default.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:] {
    didSet { (ownDecoder, ownEncoder) = (nil, nil) }
  }
  private var decoderInfo: [CodingUserInfoKey: any Sendable] = [:]
  private var encoderInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// A copy of the given decoder, or the given decoder of a subclass.
  ///
  /// `nil` if no decoder was given, or if a property of `JSONDecoder` has been set since.
  private var ownDecoder: JSONDecoder?
  private var ownEncoder: JSONEncoder?

  /// Creates a coding with the defaults of Foundation.
  public init() {}

  /// Creates a coding with the current settings of a decoder and an encoder; `nil`: the defaults of
  /// Foundation.
  ///
  /// A subclass cannot be copied, so the coding uses an object of a subclass itself. Setting a property that
  /// the object also has ends the use of the object.
  public init(decoder: JSONDecoder?, encoder: JSONEncoder? = nil) {
    if let decoder { take(decoder) }
    if let encoder { take(encoder) }
  }

  /// Decodes a value.
  ///
  /// Throws a `DecodingError`, and the errors of `init(from:)`, custom strategies and `JSONDecoder`
  /// subclasses. More than 512 nested levels are refused.
  public func decode<Value: Decodable>(_ type: Value.Type = Value.self, from data: Data) throws -> Value {
    try reader.decode(type, from: data)
  }

  /// Encodes a value.
  ///
  /// Throws an `EncodingError`, and the errors of `encode(to:)`, custom strategies and `JSONEncoder`
  /// subclasses.
  public func encode(_ value: some Encodable) throws -> Data {
    if let ownEncoder { return try ownEncoder.encode(value) }
    return try JSONWriting.encode(value, settings: writingSettings)
  }
}

extension JSONCoding {
  /// The coding with dates as ISO 8601 text, such as `2026-11-21T10:00:00Z`.
  ///
  /// Decoding accepts fractions of a second. Encoding leaves fractions out.
  public var iso8601: JSONCoding { dates(decoding: .iso8601, encoding: .iso8601) }
  /// The coding with dates as seconds since 1970.
  public var secondsSince1970: JSONCoding { dates(decoding: .secondsSince1970, encoding: .secondsSince1970) }
  /// The coding with dates as milliseconds since 1970.
  public var millisecondsSince1970: JSONCoding {
    dates(decoding: .millisecondsSince1970, encoding: .millisecondsSince1970)
  }
  /// The coding with names such as `first_name` in JSON and `firstName` in Swift.
  ///
  /// `user_id` decodes as `userId`. A property `userID` needs the coding key `case userID = "userId"`.
  public var snakeCase: JSONCoding {
    changed {
      $0.keyDecodingStrategy = .convertFromSnakeCase
      $0.keyEncodingStrategy = .convertToSnakeCase
    }
  }
  /// The coding with ``dropsNulls`` set to true.
  public var droppingNulls: JSONCoding { changed { $0.dropsNulls = true } }
  /// Returns the coding with texts in place of infinity, negative infinity and NaN.
  public func nonConformingFloats(
    positiveInfinity: String, negativeInfinity: String, nan: String
  ) -> JSONCoding {
    changed {
      $0.nonConformingFloatDecodingStrategy = .convertFromString(
        positiveInfinity: positiveInfinity, negativeInfinity: negativeInfinity, nan: nan)
      $0.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: positiveInfinity, negativeInfinity: negativeInfinity, nan: nan)
    }
  }

  /// The default coding with dates as ISO 8601 text.
  public static var iso8601: JSONCoding { JSONCoding().iso8601 }
  /// The default coding with dates as seconds since 1970.
  public static var secondsSince1970: JSONCoding { JSONCoding().secondsSince1970 }
  /// The default coding with dates as milliseconds since 1970.
  public static var millisecondsSince1970: JSONCoding { JSONCoding().millisecondsSince1970 }
  /// The default coding with names such as `first_name` in JSON.
  public static var snakeCase: JSONCoding { JSONCoding().snakeCase }
  /// The default coding with ``dropsNulls`` set to true.
  public static var droppingNulls: JSONCoding { JSONCoding().droppingNulls }

  private func dates(
    decoding: JSONDecoder.DateDecodingStrategy, encoding: JSONEncoder.DateEncodingStrategy
  ) -> JSONCoding {
    changed {
      $0.dateDecodingStrategy = decoding
      $0.dateEncodingStrategy = encoding
    }
  }

  private func changed(_ change: (inout JSONCoding) -> Void) -> JSONCoding {
    var copy = self
    change(&copy)
    return copy
  }
}

extension JSONCoding {
  mutating func take(_ decoder: JSONDecoder) {
    dateDecodingStrategy = decoder.dateDecodingStrategy
    keyDecodingStrategy = decoder.keyDecodingStrategy
    dataDecodingStrategy = decoder.dataDecodingStrategy
    nonConformingFloatDecodingStrategy = decoder.nonConformingFloatDecodingStrategy
    allowsJSON5 = decoder.allowsJSON5
    assumesTopLevelDictionary = decoder.assumesTopLevelDictionary
    decoderInfo = decoder.userInfo
    ownDecoder = decoder.snapshot
  }

  mutating func take(_ encoder: JSONEncoder) {
    encoderInfo = encoder.userInfo
    dateEncodingStrategy = encoder.dateEncodingStrategy
    keyEncodingStrategy = encoder.keyEncodingStrategy
    dataEncodingStrategy = encoder.dataEncodingStrategy
    nonConformingFloatEncodingStrategy = encoder.nonConformingFloatEncodingStrategy
    outputFormatting = encoder.outputFormatting
    ownEncoder = encoder.isPlain ? nil : encoder
  }

  func makeDecoder() -> JSONDecoder {
    if let ownDecoder { return ownDecoder }
    let decoder = JSONDecoder()
    // Set first, because on Linux a later assignment of `userInfo` would overwrite
    // `assumesTopLevelDictionary`.
    decoder.userInfo = decoderInfo.merging(userInfo) { $1 }
    decoder.dateDecodingStrategy = dateDecodingStrategy
    if case .iso8601 = dateDecodingStrategy { decoder.dateDecodingStrategy = .custom(ISO8601Text.decode) }
    decoder.keyDecodingStrategy = keyDecodingStrategy
    decoder.dataDecodingStrategy = dataDecodingStrategy
    decoder.nonConformingFloatDecodingStrategy = nonConformingFloatDecodingStrategy
    decoder.allowsJSON5 = allowsJSON5
    decoder.assumesTopLevelDictionary = assumesTopLevelDictionary
    return decoder
  }

  /// The `JSONDecoder` or subclass that decodes in place of ErrandJSON; `nil`: ErrandJSON decodes.
  private var foreignDecoder: JSONDecoder? {
    if let ownDecoder, !ownDecoder.isPlain { return ownDecoder }
    return allowsJSON5 ? makeDecoder() : nil
  }

  package static func camelCased(_ name: String) -> String { DecodingSettings.camelCased(name) }

  package static func reader(by decoder: JSONDecoder, dropsNulls: Bool) -> JSONReader {
    var coding = JSONCoding(decoder: decoder)
    coding.dropsNulls = dropsNulls
    return coding.reader
  }

  package var reader: JSONReader {
    let settings = DecodingSettings(
      dates: dateDecodingStrategy.resolved(isStrict: ownDecoder == nil), names: keyDecodingStrategy.resolved,
      data: dataDecodingStrategy, floats: nonConformingFloatDecodingStrategy, dropsNulls: dropsNulls,
      userInfo: Self.merged(decoderInfo, with: userInfo))
    return JSONReader(
      foreign: foreignDecoder, settings, assumesTopLevelDictionary: assumesTopLevelDictionary)
  }

  private static func merged(
    _ coders: [CodingUserInfoKey: any Sendable], with own: [CodingUserInfoKey: any Sendable]
  ) -> [CodingUserInfoKey: any Sendable] {
    if coders.isEmpty { return own }
    return own.isEmpty ? coders : coders.merging(own) { $1 }
  }

  private var writingSettings: JSONWritingSettings {
    JSONWritingSettings(
      outputFormatting: outputFormatting, dateEncodingStrategy: dateEncodingStrategy,
      dataEncodingStrategy: dataEncodingStrategy, keyEncodingStrategy: keyEncodingStrategy,
      nonConformingFloatEncodingStrategy: nonConformingFloatEncodingStrategy,
      userInfo: Self.merged(encoderInfo, with: userInfo))
  }
}

extension JSONCoding {
  /// The coding with sorted names, and with the decoding settings as encoding settings.
  ///
  /// For a custom decoding strategy, the encoding strategy stays. A coding with a `JSONEncoder` subclass does
  /// not change.
  package var writingWhatItReads: JSONCoding {
    if let ownEncoder, !ownEncoder.isPlain { return self }
    return changed { coding in
      coding.dateEncodingStrategy = dateDecodingStrategy.mirrored(or: dateEncodingStrategy)
      coding.outputFormatting.insert(.sortedKeys)
      switch keyDecodingStrategy {
      case .useDefaultKeys: coding.keyEncodingStrategy = .useDefaultKeys
      case .convertFromSnakeCase: coding.keyEncodingStrategy = .convertToSnakeCase
      case .custom: break
      @unknown default: break
      }
      switch dataDecodingStrategy {
      case .deferredToData: coding.dataEncodingStrategy = .deferredToData
      case .base64: coding.dataEncodingStrategy = .base64
      case .custom: break
      @unknown default: break
      }
      switch nonConformingFloatDecodingStrategy {
      case .throw: coding.nonConformingFloatEncodingStrategy = .throw
      case .convertFromString(let positive, let negative, let nan):
        coding.nonConformingFloatEncodingStrategy = .convertToString(
          positiveInfinity: positive, negativeInfinity: negative, nan: nan)
      @unknown default: break
      }
    }
  }

  package func using(decoder: JSONDecoder?, encoder: JSONEncoder?) -> JSONCoding {
    changed { coding in
      if let decoder { coding.take(decoder) }
      if let encoder { coding.take(encoder) }
    }
  }

  package func reading(by decoder: JSONDecoder) -> JSONCoding { changed { $0.take(decoder) } }
}

extension JSONDecoder {
  var isPlain: Bool { type(of: self) == JSONDecoder.self }

  /// A copy; for a subclass, the decoder itself, because a subclass cannot be copied.
  package var snapshot: JSONDecoder {
    guard isPlain else { return self }
    let copy = JSONDecoder()
    // Set first; see `makeDecoder()`.
    copy.userInfo = userInfo
    copy.dateDecodingStrategy = dateDecodingStrategy
    copy.keyDecodingStrategy = keyDecodingStrategy
    copy.dataDecodingStrategy = dataDecodingStrategy
    copy.nonConformingFloatDecodingStrategy = nonConformingFloatDecodingStrategy
    copy.allowsJSON5 = allowsJSON5
    copy.assumesTopLevelDictionary = assumesTopLevelDictionary
    return copy
  }
}

extension JSONEncoder {
  var isPlain: Bool { type(of: self) == JSONEncoder.self }

  package var snapshot: JSONEncoder {
    guard isPlain else { return self }
    let copy = JSONEncoder()
    copy.dateEncodingStrategy = dateEncodingStrategy
    copy.keyEncodingStrategy = keyEncodingStrategy
    copy.dataEncodingStrategy = dataEncodingStrategy
    copy.nonConformingFloatEncodingStrategy = nonConformingFloatEncodingStrategy
    copy.outputFormatting = outputFormatting
    copy.userInfo = userInfo
    return copy
  }
}

extension JSONCoding: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The same text as the description.
  public var debugDescription: String { description }
  /// A mirror with the description only, for `dump`.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }

  /// A text with the settings different from the defaults.
  ///
  /// Omits the values of ``userInfo``, which may be secrets, and the arguments of strategies.
  public var description: String {
    var parts: [String] = []
    func add(_ name: String, value: Any, unless standard: String) {
      let text = "\(value)".prefix { $0 != "(" }
      if text != standard { parts.append("\(name): \(text)") }
    }
    add("dateDecodingStrategy", value: dateDecodingStrategy, unless: "deferredToDate")
    add("keyDecodingStrategy", value: keyDecodingStrategy, unless: "useDefaultKeys")
    add("dataDecodingStrategy", value: dataDecodingStrategy, unless: "base64")
    add("nonConformingFloatDecodingStrategy", value: nonConformingFloatDecodingStrategy, unless: "throw")
    add("allowsJSON5", value: allowsJSON5, unless: "false")
    add("assumesTopLevelDictionary", value: assumesTopLevelDictionary, unless: "false")
    add("dropsNulls", value: dropsNulls, unless: "false")
    add("dateEncodingStrategy", value: dateEncodingStrategy, unless: "deferredToDate")
    add("keyEncodingStrategy", value: keyEncodingStrategy, unless: "useDefaultKeys")
    add("dataEncodingStrategy", value: dataEncodingStrategy, unless: "base64")
    add("nonConformingFloatEncodingStrategy", value: nonConformingFloatEncodingStrategy, unless: "throw")
    add("outputFormatting", value: outputFormatting.rawValue, unless: "0")
    add(
      "userInfo", value: Set([userInfo, decoderInfo, encoderInfo].flatMap(\.keys)).map(\.rawValue).sorted(),
      unless: "[]")
    return "JSONCoding(\(parts.joined(separator: ", ")))"
  }
}
