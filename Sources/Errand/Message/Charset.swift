package import Foundation

/// The charsets that Errand decodes, by IANA name or another common name.
///
/// EUC-JP and `macintosh` are missing, because Foundation decodes both incorrectly on Linux.
package enum Charset: Hashable {
  case utf8
  /// Big-endian if there is no byte order mark, as RFC 2781 section 4.3 recommends for UTF-16.
  case utf16, utf32
  case utf16LittleEndian, utf16BigEndian, utf32LittleEndian, utf32BigEndian
  /// A raw value of `String.Encoding`.
  case foundation(UInt)

  package init?(_ name: String) {
    guard let charset = Self.known[name.lowercased()] else { return nil }
    self = charset
  }

  private static let known: [String: Charset] = {
    var known: [String: Charset] = [
      "utf-16": .utf16, "utf-16le": .utf16LittleEndian, "utf-16be": .utf16BigEndian,
      "utf-32": .utf32, "utf-32le": .utf32LittleEndian, "utf-32be": .utf32BigEndian,
    ]
    for name in ["utf-8", "utf8"] { known[name] = .utf8 }
    for (encoding, names) in foundationNames {
      for name in names { known[name] = .foundation(encoding) }
    }
    return known
  }()

  /// The literal numbers are Core Foundation encodings that have no name in Swift.
  private static let foundationNames: [(UInt, [String])] = [
    (String.Encoding.ascii.rawValue, ["us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us"]),
    (String.Encoding.isoLatin1.rawValue, ["iso-8859-1", "iso_8859-1", "latin1", "l1"]),
    (String.Encoding.isoLatin2.rawValue, ["iso-8859-2", "iso_8859-2", "latin2", "l2"]),
    (0x8000_0205, ["iso-8859-5", "iso_8859-5", "cyrillic"]),
    (0x8000_0207, ["iso-8859-7", "iso_8859-7", "greek"]),
    (0x8000_0209, ["iso-8859-9", "iso_8859-9", "latin5", "l5"]),
    (0x8000_020F, ["iso-8859-15", "iso_8859-15", "latin-9"]),
    (String.Encoding.windowsCP1250.rawValue, ["windows-1250", "cp1250"]),
    (String.Encoding.windowsCP1251.rawValue, ["windows-1251", "cp1251"]),
    (String.Encoding.windowsCP1252.rawValue, ["windows-1252", "cp1252"]),
    (String.Encoding.windowsCP1253.rawValue, ["windows-1253", "cp1253"]),
    (String.Encoding.windowsCP1254.rawValue, ["windows-1254", "cp1254"]),
    (0x8000_0A02, ["koi8-r", "cskoi8r"]),
    (String.Encoding.shiftJIS.rawValue, ["shift_jis", "ms_kanji", "csshiftjis"]),
    (String.Encoding.iso2022JP.rawValue, ["iso-2022-jp", "csiso2022jp"]),
    (0x8000_0632, ["gb18030", "gbk", "gb2312"]),
  ]

  /// Returns the text, without the byte order mark of a UTF charset; `nil` if the bytes cannot be decoded.
  package func decode(_ data: Data) -> String? {
    let form = form(of: data)
    // Foundation may drop an incomplete code unit, or return an empty text for invalid bytes.
    guard data.count.isMultiple(of: form.width) else { return nil }
    let content = data.starts(with: form.mark) ? data.dropFirst(form.mark.count) : data
    if content.isEmpty { return "" }
    guard let text = String(data: Data(content), encoding: form.encoding), !text.isEmpty else { return nil }
    return text
  }

  /// Encodes a text; returns `nil` if the charset lacks a character.
  ///
  /// If `data` starts with a byte order mark of the charset, the result starts with the same mark. For
  /// `utf16` and `utf32`, the mark also decides the byte order.
  package func encode(_ text: String, markedAs data: Data = Data()) -> Data? {
    let form = form(of: data)
    guard let bytes = text.isEmpty ? Data() : text.data(using: form.encoding) else { return nil }
    return data.starts(with: form.mark) ? Data(form.mark) + bytes : bytes
  }

  /// True if an ASCII character is a single byte.
  package var hasASCII: Bool {
    switch self {
    case .utf8, .foundation: true
    case .utf16, .utf32, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian: false
    }
  }

  private func form(of data: Data) -> (encoding: String.Encoding, width: Int, mark: [UInt8]) {
    switch self {
    case .utf8: (.utf8, 1, Self.utf8Mark)
    case .utf16LittleEndian: (.utf16LittleEndian, 2, [0xFF, 0xFE])
    case .utf16BigEndian: (.utf16BigEndian, 2, [0xFE, 0xFF])
    case .utf32LittleEndian: (.utf32LittleEndian, 4, [0xFF, 0xFE, 0, 0])
    case .utf32BigEndian: (.utf32BigEndian, 4, [0, 0, 0xFE, 0xFF])
    case .utf16:
      (data.starts(with: [0xFF, 0xFE]) ? Charset.utf16LittleEndian : .utf16BigEndian).form(of: data)
    case .utf32:
      (data.starts(with: [0xFF, 0xFE, 0, 0]) ? Charset.utf32LittleEndian : .utf32BigEndian).form(of: data)
    case .foundation(let encoding): (String.Encoding(rawValue: encoding), 1, [])
    }
  }

  /// Returns the charset name for a byte order mark of UTF-8 or UTF-16; otherwise `nil`.
  package static func marked(in data: Data) -> String? {
    if data.starts(with: utf8Mark) { return "utf-8" }
    return data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) ? "utf-16" : nil
  }

  private static let utf8Mark: [UInt8] = [0xEF, 0xBB, 0xBF]
}
