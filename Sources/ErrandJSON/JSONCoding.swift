public import Foundation

/// How JSON is written and read: one value for both ways, of the agent or of a request.
///
/// ```swift
/// var configuration = AgentConfiguration()
/// configuration.jsonCoding = .snakeCase.iso8601
/// ```
///
/// The settings have the names and the defaults of `JSONDecoder` and `JSONEncoder`, which are classes: who changes such an object
/// changes it for everybody who was given it. This is a value, so a copy that is changed changes nothing else. The words, such as
/// `iso8601`, set one thing for both ways and leave everything else as it is.
///
/// Bodies are read and written here, not by Foundation, with the same results and several times as fast; <doc:JSONLikeFoundation> lists what
/// differs. What is nested deeper than 512 levels, or longer than 256 MiB, is an error. A `JSONDecoder` or `JSONEncoder` of a
/// subclass, and JSON5, are left to Foundation.
public struct JSONCoding: Sendable {
  /// How dates are read; `.deferredToDate` by default: seconds since 2001.
  ///
  /// `.iso8601` reads fractions of a second too, and refuses text behind a date.
  public var dateDecodingStrategy: JSONDecoder.DateDecodingStrategy = .deferredToDate {
    didSet { ownDecoder = nil }
  }
  /// How names of members are read; `.useDefaultKeys` by default.
  public var keyDecodingStrategy: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys {
    didSet { ownDecoder = nil }
  }
  /// How bytes are read; `.base64` by default.
  public var dataDecodingStrategy: JSONDecoder.DataDecodingStrategy = .base64 { didSet { ownDecoder = nil } }
  /// How numbers are read that are infinite or none; `.throw` by default.
  public var nonConformingFloatDecodingStrategy: JSONDecoder.NonConformingFloatDecodingStrategy = .throw {
    didSet { ownDecoder = nil }
  }
  /// Whether JSON5 is read; `false` by default.
  public var allowsJSON5 = false { didSet { ownDecoder = nil } }
  /// Whether members without the braces around them are read; `false` by default.
  public var assumesTopLevelDictionary = false { didSet { ownDecoder = nil } }
  /// Whether members and elements that are null are taken out before decoding, on every level; `false` by default.
  ///
  /// `[User]` reads `[{"id":1},null]` then, and a member with a default of its own is missing instead of null. A body that is
  /// null as a whole stays.
  public var dropsNulls = false

  /// How dates are written; `.deferredToDate` by default: seconds since 2001.
  public var dateEncodingStrategy: JSONEncoder.DateEncodingStrategy = .deferredToDate {
    didSet { ownEncoder = nil }
  }
  /// How names of members are written; `.useDefaultKeys` by default.
  public var keyEncodingStrategy: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys {
    didSet { ownEncoder = nil }
  }
  /// How bytes are written; `.base64` by default.
  public var dataEncodingStrategy: JSONEncoder.DataEncodingStrategy = .base64 { didSet { ownEncoder = nil } }
  /// How numbers are written that are infinite or none; `.throw` by default.
  public var nonConformingFloatEncodingStrategy: JSONEncoder.NonConformingFloatEncodingStrategy = .throw {
    didSet { ownEncoder = nil }
  }
  /// How the text looks; empty by default.
  ///
  /// `.sortedKeys` gives the same bytes for the same value.
  public var outputFormatting: JSONEncoder.OutputFormatting = [] { didSet { ownEncoder = nil } }

  /// What `init(from:)` and `encode(to:)` find as their coder's `userInfo`; empty by default.
  ///
  /// What coders have that were taken over is found besides, by the one that decodes or encodes as they would have.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:] {
    didSet { (ownDecoder, ownEncoder) = (nil, nil) }
  }
  private var decoderInfo: [CodingUserInfoKey: any Sendable] = [:]
  private var encoderInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// A decoder that was given and not changed since: a copy, or the object itself where its class is a subclass.
  private var ownDecoder: JSONDecoder?
  private var ownEncoder: JSONEncoder?

  /// Makes the defaults of Foundation.
  public init() {}

  /// Takes over coders of yours, with the settings that they have now; without one the defaults of Foundation.
  ///
  /// Changing such an object later changes nothing here. An object of a subclass cannot be copied: it decodes or encodes itself, with
  /// all that it overrides, until a setting of that direction is changed here.
  public init(decoder: JSONDecoder?, encoder: JSONEncoder? = nil) {
    if let decoder { take(decoder) }
    if let encoder { take(encoder) }
  }

  /// Decodes a value.
  ///
  /// Throws a `DecodingError`, also for what is nested deeper than 512 levels, or than the stack of the thread has room for, and what the value's
  /// `init(from:)` throws.
  public func decode<Value: Decodable>(_ type: Value.Type = Value.self, from data: Data) throws -> Value {
    try reader.decode(type, from: data)
  }

  /// Encodes a value.
  ///
  /// The bytes are those of a `JSONEncoder` with these settings, but without `.sortedKeys` members stand in the order in which they
  /// were encoded. An encoder of a subclass encodes itself.
  ///
  /// Throws an `EncodingError`, also for more than 511 containers within each other, or than the stack of the thread has room for, and what the
  /// value's `encode(to:)` throws.
  public func encode(_ value: some Encodable) throws -> Data {
    if let ownEncoder { return try ownEncoder.encode(value) }
    return try JSONWriting.encode(value, settings: writingSettings)
  }
}

// Both ways at once.
extension JSONCoding {
  /// Dates as RFC 3339 text, `2026-11-21T10:00:00Z`, both ways; fractions of a second are read, and not written.
  public var iso8601: JSONCoding { dates(decoding: .iso8601, encoding: .iso8601) }
  /// Dates as seconds since 1970, both ways.
  public var secondsSince1970: JSONCoding { dates(decoding: .secondsSince1970, encoding: .secondsSince1970) }
  /// Dates as milliseconds since 1970, both ways.
  public var millisecondsSince1970: JSONCoding {
    dates(decoding: .millisecondsSince1970, encoding: .millisecondsSince1970)
  }
  /// Names such as `first_name` in JSON and `firstName` in Swift, both ways.
  ///
  /// `user_id` is read as `userId`: a property `userID` needs `case userID = "userId"` among its coding keys.
  public var snakeCase: JSONCoding {
    changed {
      $0.keyDecodingStrategy = .convertFromSnakeCase
      $0.keyEncodingStrategy = .convertToSnakeCase
    }
  }
  /// With ``dropsNulls``: nulls are taken out before decoding.
  public var droppingNulls: JSONCoding { changed { $0.dropsNulls = true } }
  /// Numbers that are infinite or none as these texts, both ways.
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

  /// The defaults with dates as RFC 3339 text.
  public static var iso8601: JSONCoding { JSONCoding().iso8601 }
  /// The defaults with dates as seconds since 1970.
  public static var secondsSince1970: JSONCoding { JSONCoding().secondsSince1970 }
  /// The defaults with dates as milliseconds since 1970.
  public static var millisecondsSince1970: JSONCoding { JSONCoding().millisecondsSince1970 }
  /// The defaults with names such as `first_name` in JSON.
  public static var snakeCase: JSONCoding { JSONCoding().snakeCase }
  /// The defaults with nulls taken out; see ``dropsNulls``.
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

// What the coders are made of.
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
    // First: on Linux `assumesTopLevelDictionary` is kept in it.
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

  /// What decodes instead: an object of a subclass, or Foundation, for what only it reads.
  private var foreignDecoder: JSONDecoder? {
    if let ownDecoder, !ownDecoder.isPlain { return ownDecoder }
    return allowsJSON5 ? makeDecoder() : nil
  }

  /// `user_items` as `convertFromSnakeCase` gives it.
  package static func camelCased(_ name: String) -> String { DecodingSettings.camelCased(name) }

  /// What decodes by a decoder of the user's.
  package static func reader(by decoder: JSONDecoder, dropsNulls: Bool) -> JSONReader {
    var coding = JSONCoding(decoder: decoder)
    coding.dropsNulls = dropsNulls
    return coding.reader
  }

  /// What decodes with these settings.
  package var reader: JSONReader {
    let settings = DecodingSettings(
      dates: dateDecodingStrategy.resolved(isStrict: ownDecoder == nil), names: keyDecodingStrategy.resolved,
      data: dataDecodingStrategy, floats: nonConformingFloatDecodingStrategy, dropsNulls: dropsNulls,
      userInfo: Self.merged(decoderInfo, with: userInfo))
    return JSONReader(
      foreign: foreignDecoder, settings, assumesTopLevelDictionary: assumesTopLevelDictionary)
  }

  /// What a taken-over coder has, and over it what was set here.
  ///
  /// Merging is left to those who have both: the first one in a process takes as long as a hundred small texts.
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

// For stubs.
extension JSONCoding {
  /// This coding, with what it writes set to what it reads, and names in order; where reading is a closure, writing stays.
  ///
  /// An encoder of a subclass stays too.
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

  /// With coders in the place of its own, as far as there are any.
  package func using(decoder: JSONDecoder?, encoder: JSONEncoder?) -> JSONCoding {
    changed { coding in
      if let decoder { coding.take(decoder) }
      if let encoder { coding.take(encoder) }
    }
  }

  /// With a decoder in the place of its own.
  package func reading(by decoder: JSONDecoder) -> JSONCoding { changed { $0.take(decoder) } }
}

extension JSONDecoder {
  /// Whether it is of Foundation's class, so that its settings are all there is to it.
  var isPlain: Bool { type(of: self) == JSONDecoder.self }

  /// A copy with the settings of now; of a subclass, which may have more to it, the object itself.
  package var snapshot: JSONDecoder {
    guard isPlain else { return self }
    let copy = JSONDecoder()
    // First: on Linux `assumesTopLevelDictionary` is kept in it.
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
  /// Whether it is of Foundation's class, so that its settings are all there is to it.
  var isPlain: Bool { type(of: self) == JSONEncoder.self }

  /// A copy with the settings of now; of a subclass, which may have more to it, the object itself.
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
  /// The same as the description.
  public var debugDescription: String { description }
  /// Shows `dump` the description only.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }

  /// The settings that differ from the defaults; never a value of ``userInfo``, which may be a secret.
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
