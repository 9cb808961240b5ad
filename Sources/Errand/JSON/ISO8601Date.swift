import Foundation

/// Dates as RFC 3339 text, read as JSON has them.
///
/// The strategies of Foundation overlook what follows a date, and which of them read fractions of a second depends on the system.
enum ISO8601Date {
  static func decode(_ decoder: any Decoder) throws -> Date {
    let text = try decoder.singleValueContainer().decode(String.self)
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
