import Foundation

/// How dates are written in JSON, both ways.
public enum JSONDates: Sendable, Hashable {
  /// RFC 3339 text such as `2026-11-21T10:00:00Z`; fractions of a second are read too.
  case iso8601
  /// Seconds since 1970 as a number.
  case secondsSince1970
  /// Milliseconds since 1970 as a number.
  case millisecondsSince1970

  func apply(to decoder: JSONDecoder) {
    switch self {
    case .iso8601: decoder.dateDecodingStrategy = .custom(Self.decodeISO8601)
    case .secondsSince1970: decoder.dateDecodingStrategy = .secondsSince1970
    case .millisecondsSince1970: decoder.dateDecodingStrategy = .millisecondsSince1970
    }
  }

  func apply(to encoder: JSONEncoder) {
    switch self {
    case .iso8601: encoder.dateEncodingStrategy = .iso8601
    case .secondsSince1970: encoder.dateEncodingStrategy = .secondsSince1970
    case .millisecondsSince1970: encoder.dateEncodingStrategy = .millisecondsSince1970
    }
  }

  private static func decodeISO8601(_ decoder: any Decoder) throws -> Date {
    let text = try decoder.singleValueContainer().decode(String.self)
    // The strategies overlook what follows a date.
    if text.utf8.allSatisfy(isDateByte) {
      if let date = try? Date(text, strategy: .iso8601) { return date }
      let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
      if let date = try? Date(text, strategy: fractional) { return date }
    }
    throw DecodingError.dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "\"\(text)\" is not an ISO 8601 date"))
  }

  private static func isDateByte(_ byte: UInt8) -> Bool {
    ASCII.isDigit(byte) || "-+:.TZ".utf8.contains(byte)
  }
}
