import Foundation

/// A `Content-Disposition` (RFC 6266).
struct ContentDisposition {
  let type: String
  private var parameters: [(name: String, value: String)] = []

  init?(_ text: String) {
    var scanner = Scanner(bytes: Array(text.utf8))
    let type = scanner.text { $0 == UInt8(ascii: ";") }
    guard !type.isEmpty, type.utf8.allSatisfy(HTTPHeaders.isTokenByte) else { return nil }
    self.type = type.lowercased()
    while scanner.take(";") {
      let name = scanner.text { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "=") }
      guard scanner.take("="), let value = scanner.value(keepingBackslashes: self.type == "form-data") else {
        continue
      }
      parameters.append((name.lowercased(), value))
    }
  }

  init?(of headers: HTTPHeaders) {
    guard let text = headers.values(for: "Content-Disposition").first else { return nil }
    self.init(text)
  }

  subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// The file name: the first readable name of the following parameters.
  ///
  /// - `filename*` (RFC 6266 section 4.3)
  /// - sections such as `filename*0` (RFC 2231 section 3)
  /// - `filename`
  var filename: String? {
    self["filename*"].flatMap(Self.decoded) ?? continued("filename") ?? self["filename"]
  }

  /// Decodes an extended value (RFC 8187 section 3.2).
  private static func decoded(_ text: String) -> String? {
    extended(text).flatMap { charset, bytes in charset.decode(Data(bytes)) }
  }

  private static func extended(_ text: String) -> (Charset, [UInt8])? {
    let pieces = text.utf8.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
      .map(Substring.init)
    guard pieces.count == 3, let charset = Charset(String(pieces[0])),
      let bytes = PercentEncoding.decodeStrictly(pieces[2])
    else { return nil }
    return (charset, bytes)
  }

  /// Joins sections such as `name*0` and `name*1*`, sent in any order (RFC 2231 sections 3 and 4.1).
  private func continued(_ name: String) -> String? {
    let prefix = name + "*"
    var pieces: [String: String] = [:]
    for parameter in parameters where parameter.name.utf8.starts(with: prefix.utf8) {
      let number = String(decoding: parameter.name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
      if pieces[number] == nil { pieces[number] = parameter.value }
    }
    guard pieces["0"] != nil || pieces["0*"] != nil else { return nil }
    var (text, charset) = ("", Charset?.none)
    // The bytes not decoded yet. A character may be split between sections.
    var bytes: [UInt8] = []
    func isEnded() -> Bool {
      guard !bytes.isEmpty else { return true }
      guard let decoded = charset?.decode(Data(bytes)) else { return false }
      text += decoded
      bytes = []
      return true
    }
    for number in 0..<pieces.count {
      if let piece = pieces["\(number)*"] {
        if number == 0 {
          guard let (named, first) = Self.extended(piece) else { return nil }
          (charset, bytes) = (named, first)
        } else {
          guard charset != nil, let more = PercentEncoding.decodeStrictly(piece) else { return nil }
          bytes += more
        }
      } else if let piece = pieces["\(number)"] {
        guard isEnded() else { return nil }
        text += piece
      } else {
        break
      }
    }
    return isEnded() ? text : nil
  }

  private struct Scanner {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard next == UInt8(ascii: character) else { return false }
      position += 1
      return true
    }

    private mutating func skipBlanks() {
      while next == 0x20 || next == 0x09 { position += 1 }
    }

    private func endsParameter(at place: Int) -> Bool {
      let following = bytes[place...].first { $0 != 0x20 && $0 != 0x09 }
      return following == nil || following == UInt8(ascii: ";")
    }

    mutating func text(until isEnd: (UInt8) -> Bool) -> String {
      skipBlanks()
      let start = position
      var end = start
      while let byte = next, !isEnd(byte) {
        position += 1
        if byte != 0x20, byte != 0x09 { end = position }
      }
      return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// Reads the value of a parameter; returns `nil` for an unclosed quote.
    mutating func value(keepingBackslashes: Bool) -> String? {
      skipBlanks()
      guard take("\"") else { return text { $0 == UInt8(ascii: ";") } }
      var value: [UInt8] = []
      while let byte = next {
        position += 1
        if byte == UInt8(ascii: "\"") {
          _ = text { $0 == UInt8(ascii: ";") }
          return String(decoding: value, as: UTF8.self)
        }
        if byte == UInt8(ascii: "\\"), let quoted = next {
          // Browsers do not escape backslashes, so `\"` may be a backslash and the closing quote.
          if keepingBackslashes, quoted == UInt8(ascii: "\""), endsParameter(at: position + 1) {
            value.append(byte)
            continue
          }
          position += 1
          if keepingBackslashes, quoted != UInt8(ascii: "\"") { value.append(byte) }
          value.append(quoted)
        } else {
          value.append(byte)
        }
      }
      return nil
    }
  }
}
