import Foundation

extension Charset {
  /// The text of the bytes without a byte order mark; `nil` when they are not valid in the charset.
  func decode(_ data: Data) -> String? {
    switch self {
    case .utf8: Self.text(data, .utf8, width: 1, mark: Self.utf8Mark)
    case .utf16LittleEndian: Self.text(data, .utf16LittleEndian, width: 2, mark: [0xFF, 0xFE])
    case .utf16BigEndian: Self.text(data, .utf16BigEndian, width: 2, mark: [0xFE, 0xFF])
    case .utf32LittleEndian: Self.text(data, .utf32LittleEndian, width: 4, mark: [0xFF, 0xFE, 0, 0])
    case .utf32BigEndian: Self.text(data, .utf32BigEndian, width: 4, mark: [0, 0, 0xFE, 0xFF])
    case .utf16:
      (data.starts(with: [0xFF, 0xFE]) ? Charset.utf16LittleEndian : .utf16BigEndian).decode(data)
    case .utf32:
      (data.starts(with: [0xFF, 0xFE, 0, 0]) ? Charset.utf32LittleEndian : .utf32BigEndian).decode(data)
    case .foundation(let encoding): Self.text(data, String.Encoding(rawValue: encoding), width: 1, mark: [])
    }
  }

  /// The charset of a body that declares none: by its byte order mark, else UTF-8.
  static func undeclared(in data: Data) -> Charset {
    data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) ? .utf16 : .utf8
  }

  private static let utf8Mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Foundation drops half a unit at the end without a word, and empties text in some charsets; both are invalid.
  private static func text(_ data: Data, _ encoding: String.Encoding, width: Int, mark: [UInt8]) -> String? {
    guard data.count.isMultiple(of: width) else { return nil }
    let content = data.starts(with: mark) ? data.dropFirst(mark.count) : data
    if content.isEmpty { return "" }
    guard let text = String(data: Data(content), encoding: encoding), !text.isEmpty else { return nil }
    return text
  }
}
