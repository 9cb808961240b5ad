import Foundation

extension JSONDecoder.DateDecodingStrategy {
  /// How dates are read then.
  func resolved(isStrict: Bool) -> DecodingSettings.Dates {
    switch self {
    case .deferredToDate: .deferredToDate
    case .secondsSince1970: .secondsSince1970
    case .millisecondsSince1970: .millisecondsSince1970
    case .iso8601: .iso8601(isStrict: isStrict)
    #if canImport(Darwin)
    case .formatted(let formatter): .custom { try formatter.date(from: $0) }
    #endif
    case .custom(let decode): .custom(decode)
    @unknown default: .deferredToDate
    }
  }

  /// The strategy that writes what this one reads; `encoding` where this one is a closure.
  ///
  /// It stands here because Foundation has date formatters among the strategies on Apple platforms only.
  func mirrored(or encoding: JSONEncoder.DateEncodingStrategy) -> JSONEncoder.DateEncodingStrategy {
    switch self {
    case .deferredToDate: .deferredToDate
    case .secondsSince1970: .secondsSince1970
    case .millisecondsSince1970: .millisecondsSince1970
    case .iso8601: .iso8601
    #if canImport(Darwin)
    case .formatted(let formatter): .formatted(formatter)
    #endif
    case .custom: encoding
    @unknown default: encoding
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

#if canImport(Darwin)
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
}
#endif
