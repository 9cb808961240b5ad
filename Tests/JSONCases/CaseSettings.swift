package import ErrandJSON
package import Foundation

/// Settings of a decoder as a printable value.
package struct CaseSettings: Hashable, Sendable, CustomStringConvertible {
  package enum Dates: String, CaseIterable, Sendable {
    case deferred, seconds, milliseconds, iso8601, custom
  }
  package enum Bytes: String, CaseIterable, Sendable { case base64, deferred, custom }
  package enum Keys: String, CaseIterable, Sendable { case plain, snake, hyphens, depth }

  package var dates = Dates.deferred
  package var bytes = Bytes.base64
  package var keys = Keys.plain
  /// True if "inf", "-inf" and "nan" are numbers.
  package var readsFloatWords = false
  package var allowsJSON5 = false
  package var assumesTopLevelDictionary = false
  /// The seed for the calls of a ``Probe``, in `userInfo`.
  package var program: UInt64?
  /// True if the coding is made of a `JSONDecoder`.
  package var takesDecoder = false

  package init() {}

  package init(using random: inout CaseRandom) {
    program = random.next()
    guard random.chance(650) else { return }
    dates = random.one(of: Dates.allCases)
    if random.chance(300) { bytes = random.one(of: Bytes.allCases) }
    if random.chance(450) { keys = random.one(of: Keys.allCases) }
    readsFloatWords = random.chance(200)
    allowsJSON5 = random.chance(50)
    assumesTopLevelDictionary = random.chance(50)
    takesDecoder = random.chance(100)
  }

  package var coding: JSONCoding {
    if takesDecoder { return JSONCoding(decoder: decoder) }
    var coding = JSONCoding()
    coding.dateDecodingStrategy = dates.strategy
    coding.dataDecodingStrategy = bytes.strategy
    coding.keyDecodingStrategy = keys.strategy
    if readsFloatWords { coding.nonConformingFloatDecodingStrategy = Self.floatWords }
    coding.allowsJSON5 = allowsJSON5
    coding.assumesTopLevelDictionary = assumesTopLevelDictionary
    if let program { coding.userInfo = [.program: program] }
    return coding
  }

  package var decoder: JSONDecoder { decoder(dates: dates.strategy) }

  func decoder(dates: JSONDecoder.DateDecodingStrategy) -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = dates
    decoder.dataDecodingStrategy = bytes.strategy
    decoder.keyDecodingStrategy = keys.strategy
    if readsFloatWords { decoder.nonConformingFloatDecodingStrategy = Self.floatWords }
    decoder.allowsJSON5 = allowsJSON5
    if let program { decoder.userInfo = [.program: program] }
    // Set after userInfo, because Foundation stores this setting in userInfo.
    decoder.assumesTopLevelDictionary = assumesTopLevelDictionary
    return decoder
  }

  private static let floatWords = JSONDecoder.NonConformingFloatDecodingStrategy.convertFromString(
    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")

  package var description: String {
    var parts = ["dates \(dates)", "bytes \(bytes)", "keys \(keys)"]
    if readsFloatWords { parts.append("float words") }
    if allowsJSON5 { parts.append("JSON5") }
    if assumesTopLevelDictionary { parts.append("no braces") }
    if let program { parts.append("program \(program)") }
    if takesDecoder { parts.append("of a decoder") }
    return parts.joined(separator: ", ")
  }
}

extension CodingUserInfoKey {
  static let program = CodingUserInfoKey(rawValue: "case.program")!
}

extension CaseSettings.Dates {
  var strategy: JSONDecoder.DateDecodingStrategy {
    switch self {
    case .deferred: .deferredToDate
    case .seconds: .secondsSince1970
    case .milliseconds: .millisecondsSince1970
    case .iso8601: .iso8601
    case .custom: .custom(Self.minutes)
    }
  }

  /// Decodes minutes from a number or text.
  ///
  /// The text "path" gives the length of the coding path, and other texts are an error.
  private static func minutes(_ decoder: any Decoder) throws -> Date {
    let container = try decoder.singleValueContainer()
    if let minutes = try? container.decode(Int.self) {
      return Date(timeIntervalSinceReferenceDate: Double(minutes) * 60)
    }
    let text = try container.decode(String.self)
    if text == "path" {
      return Date(timeIntervalSinceReferenceDate: Double(container.codingPath.count))
    }
    guard let minutes = Double(text) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: text))
    }
    return Date(timeIntervalSinceReferenceDate: minutes * 60)
  }

  /// Decodes a date as documented for `JSONCoding`'s `.iso8601`: only a date, with the date's key in the path
  /// of an error.
  static func documented(_ decoder: any Decoder) throws -> Date {
    let text = try decoder.singleValueContainer().decode(String.self)
    let range = text.startIndex..<text.endIndex
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "-+:.TZ".utf8.contains($0) }),
      let found = try? Date.ISO8601FormatStyle().consuming(
        text, startingAt: range.lowerBound, in: range),
      found.upperBound == range.upperBound
    {
      return found.output
    }
    throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: text))
  }
}

extension CaseSettings.Bytes {
  var strategy: JSONDecoder.DataDecodingStrategy {
    switch self {
    case .base64: .base64
    case .deferred: .deferredToData
    case .custom:
      .custom { decoder in
        var elements = try decoder.unkeyedContainer()
        var data = Data()
        while !elements.isAtEnd { data.append(contentsOf: try elements.decode(String.self).utf8) }
        return data
      }
    }
  }
}

extension CaseSettings.Keys {
  var strategy: JSONDecoder.KeyDecodingStrategy {
    switch self {
    case .plain: .useDefaultKeys
    case .snake: .convertFromSnakeCase
    case .hyphens: .custom { TextKey($0.last!.stringValue.replacing("-", with: "")) }
    case .depth:
      .custom { path in
        let name = path.last!.stringValue
        let prefix = "\(path.count)."
        return TextKey(name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name)
      }
    }
  }
}
