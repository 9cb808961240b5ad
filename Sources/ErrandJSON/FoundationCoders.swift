import Foundation

extension JSONDecoder.DateDecodingStrategy {
  /// How dates are read then.
  func resolved(isStrict: Bool) -> DecodingSettings.Dates {
    if let formatter { return .custom { try formatter.date(from: $0) } }
    return switch self {
    case .secondsSince1970: .secondsSince1970
    case .millisecondsSince1970: .millisecondsSince1970
    case .iso8601: .iso8601(isStrict: isStrict)
    case .custom(let decode): .custom(decode)
    default: .deferredToDate
    }
  }

  /// The strategy that writes what this one reads; `encoding` where this one is a closure.
  func mirrored(or encoding: JSONEncoder.DateEncodingStrategy) -> JSONEncoder.DateEncodingStrategy {
    if let formatter { return .custom { try formatter.write($0, to: $1) } }
    return switch self {
    case .deferredToDate: .deferredToDate
    case .secondsSince1970: .secondsSince1970
    case .millisecondsSince1970: .millisecondsSince1970
    case .iso8601: .iso8601
    default: encoding
    }
  }
}

extension JSONDecoder.KeyDecodingStrategy {
  /// How names are read then.
  var resolved: DecodingSettings.Names {
    switch self {
    case .useDefaultKeys: .asWritten
    case .convertFromSnakeCase: .snakeCase
    case .custom(let convert): .custom(convert)
    @unknown default: .asWritten
    }
  }
}

extension DateFormatter {
  /// Reads the date of a decoder's text.
  func date(from decoder: any Decoder) throws -> Date {
    let text = try decoder.singleValueContainer().decode(String.self)
    if let date = date(from: text) { return date }
    throw DecodingError.dataCorrupted(
      .init(
        codingPath: decoder.codingPath,
        debugDescription: "Date string does not match format expected by formatter."))
  }

  /// Writes the text of a date.
  func write(_ date: Date, to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(string(from: date))
  }
}
