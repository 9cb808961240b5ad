import Foundation

/// Types that are not left to decode themselves: their decoding is a setting, or faster without.
enum SpecialType: UInt8 {
  case string, int, double, bool
  case date, url, data, decimal
  case strings, ints, doubles

  /// `nil` for all other types.
  @inline(__always)
  init?<Value>(_ type: Value.Type) {
    if type == String.self {
      self = .string
    } else if type == URL.self {
      self = .url
    } else if type == Date.self {
      self = .date
    } else if type == Int.self {
      self = .int
    } else if type == Double.self {
      self = .double
    } else if type == Bool.self {
      self = .bool
    } else if type == [String].self {
      self = .strings
    } else if type == [Int].self {
      self = .ints
    } else if type == [Double].self {
      self = .doubles
    } else if type == Data.self {
      self = .data
    } else if type == Decimal.self {
      self = .decimal
    } else {
      return nil
    }
  }
}

extension JSONPlace {
  /// Decodes a value of a special type in this place.
  @inline(never)
  func decode<Value>(_ type: Value.Type, as special: SpecialType, at index: Int, step: Step) throws -> Value {
    try self.special(type, as: special, at: index, path: codingPath + [key(of: step)]) { read in
      try inside(index, step: step) { try read($0) }
    }
  }

  /// Decodes a value of a special type.
  ///
  /// - Parameters:
  ///   - path: its coding path, for errors.
  ///   - inside: runs what it is given with the place of the value.
  @inline(__always)
  func special<Value>(
    _ type: Value.Type, as special: SpecialType, at index: Int, path: @autoclosure () -> [any CodingKey],
    inside: ((JSONPlace) throws -> Any) throws -> Any
  ) throws -> Value {
    // Each of them is of the type that stands in its case.
    func cast<Known>(_ value: Known) -> Value { unsafeBitCast(value, to: Value.self) }
    return switch special {
    case .string: cast(try string(index, path: path()))
    case .int: cast(try integer(index, path: path()) as Int)
    case .double: cast(try double(index, path: path()))
    case .bool: cast(try bool(index, path: path()))
    case .url: cast(try url(index, path: path()))
    case .date: cast(try date(index, path: path(), inside: inside))
    case .data: cast(try data(index, path: path(), inside: inside))
    case .decimal: cast(try decimal(index, path: path()))
    case .strings:
      cast(
        try array(index, path: path()) { try string($0, path: path() + [NameKey(intValue: $1)]) } as [String])
    case .ints:
      cast(
        try array(index, path: path()) { try integer($0, path: path() + [NameKey(intValue: $1)]) } as [Int])
    case .doubles:
      cast(
        try array(index, path: path()) { try double($0, path: path() + [NameKey(intValue: $1)]) } as [Double])
    }
  }

  private func url(_ index: Int, path: @autoclosure () -> [any CodingKey]) throws -> URL {
    if kind(index) == TapeWord.null { throw mismatch(URL.self, at: index, path: path()) }
    guard let url = URL(string: try string(index, path: path())) else {
      throw corrupted("Invalid URL string.", path: path())
    }
    return url
  }

  private func decimal(_ index: Int, path: @autoclosure () -> [any CodingKey]) throws -> Decimal {
    guard TapeWord.isNumber(kind(index)) else { throw mismatch(Decimal.self, at: index, path: path()) }
    guard let value = NumberText.decimal(bytes + TapeWord.place(tape[index])) else {
      throw notNumber(index, as: Decimal.self, path: path())
    }
    return value
  }

  private func data(
    _ index: Int, path: @autoclosure () -> [any CodingKey],
    inside: ((JSONPlace) throws -> Any) throws -> Any
  ) throws -> Data {
    if kind(index) == TapeWord.null { throw mismatch(Data.self, at: index, path: path()) }
    switch document.settings.data {
    case .deferredToData: return try inside { try Data(from: $0) } as! Data
    case .custom(let decode): return try inside { try decode($0) } as! Data
    default:
      guard let data = Data(base64Encoded: try string(index, path: path())) else {
        throw corrupted("Encountered Data is not valid Base64.", path: path())
      }
      return data
    }
  }

  private func date(
    _ index: Int, path: @autoclosure () -> [any CodingKey],
    inside: ((JSONPlace) throws -> Any) throws -> Any
  ) throws -> Date {
    if kind(index) == TapeWord.null { throw mismatch(Date.self, at: index, path: path()) }
    switch document.settings.dates {
    case .deferredToDate: return Date(timeIntervalSinceReferenceDate: try double(index, path: path()))
    case .secondsSince1970: return Date(timeIntervalSince1970: try double(index, path: path()))
    case .millisecondsSince1970: return Date(timeIntervalSince1970: try double(index, path: path()) / 1000)
    case .custom(let decode): return try inside { try decode($0) } as! Date
    case .iso8601(let isStrict):
      if kind(index) == TapeWord.plain, tape[index + 1] == ISO8601Text.plainLength,
        let date = ISO8601Text.plainDate(bytes + TapeWord.place(tape[index]))
      {
        return date
      }
      let text = try string(index, path: path())
      guard let date = ISO8601Text.date(text, isStrict: isStrict) else {
        throw corrupted(
          isStrict ? "\"\(text)\" is not an ISO 8601 date" : "Expected date string to be ISO8601-formatted.",
          path: path())
      }
      return date
    }
  }

  @inline(never)
  private func corrupted(_ reason: String, path: [any CodingKey]) -> DecodingError {
    .dataCorrupted(.init(codingPath: path, debugDescription: reason))
  }
}
