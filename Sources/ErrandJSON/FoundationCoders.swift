import Foundation

extension JSONDecoder.DateDecodingStrategy {
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
  func date(from decoder: any Decoder) throws -> Date {
    let text = try decoder.singleValueContainer().decode(String.self)
    if let date = date(from: text) { return date }
    throw DecodingError.dataCorrupted(
      .init(
        codingPath: decoder.codingPath,
        debugDescription: "Date string does not match format expected by formatter."))
  }

  func write(_ date: Date, to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(string(from: date))
  }
}
