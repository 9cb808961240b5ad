import Foundation

/// Responses to `data:` URLs (RFC 2397), as in the *data: URL processor* of the Fetch standard.
enum DataURL {
  static let defaultType = "text/plain;charset=US-ASCII"

  static func response(for url: URL) throws(Refusal) -> HTTPResponse {
    let text = URLParts.withoutFragment(url.absoluteString)
    guard URLParts.isData(String(text)) else { throw malformed("begins with another scheme") }
    let content = text.utf8.dropFirst("data:".utf8.count)
    guard let comma = content.firstIndex(of: 0x2C) else { throw malformed("has no comma") }
    let (type, isBase64) = head(Substring(content[..<comma]))
    let encoded = PercentEncoding.decode(Substring(content[content.index(after: comma)...]))
    let body = isBase64 ? try base64(encoded) : Data(encoded)
    return HTTPResponse(headers: ["Content-Type": type], body: body, url: url)
  }

  private static func head(_ text: Substring) -> (type: String, isBase64: Bool) {
    var head = Array(trimmed(unescaped(text).drop { $0 == 0x20 }))
    let isBase64 = removeBase64(&head)
    if head.first == UInt8(ascii: ";") { head = Array("text/plain".utf8) + head }
    return (mediaType(head) ?? defaultType, isBase64)
  }

  /// Decodes the escapes of printable ASCII characters that a URL's query cannot contain.
  ///
  /// Keeps `%25`.
  private static func unescaped(_ text: Substring) -> [UInt8] {
    let bytes = Array(text.utf8)
    var (result, index) = ([UInt8](), 0)
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"),
        let byte = PercentEncoding.decode(bytes[index..<min(index + 3, bytes.count)]).first,
        0x20...0x7E ~= byte, byte != UInt8(ascii: "%"), !URLParts.isQueryByte(byte)
      {
        result.append(byte)
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }

  private static func removeBase64(_ head: inout [UInt8]) -> Bool {
    let mark = Array("base64".utf8)
    guard head.suffix(mark.count).map(ASCII.lowercased) == mark else { return false }
    let rest = head.dropLast(mark.count)
    guard let last = rest.lastIndex(where: { $0 != 0x20 }), rest[last] == UInt8(ascii: ";") else {
      return false
    }
    head = Array(rest[..<last])
    return true
  }

  private static func mediaType(_ head: [UInt8]) -> String? {
    var rest = head[...]
    let essence = trimmed(take(&rest) { $0 == UInt8(ascii: ";") }).split(
      separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
    guard essence.count == 2, essence.allSatisfy({ !$0.isEmpty && $0.allSatisfy(HTTPHeaders.isTokenByte) })
    else { return nil }
    var type = essence.map(lowercased).joined(separator: "/")
    var names: Set<String> = []
    while rest.first == UInt8(ascii: ";") {
      guard let (name, value) = parameter(&rest), names.insert(name).inserted else { continue }
      let text = String(decoding: value, as: UTF8.self)
      let isToken = !value.isEmpty && value.allSatisfy(HTTPHeaders.isTokenByte)
      let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      type += ";\(name)=\(isToken ? text : "\"\(escaped)\"")"
    }
    return type
  }

  private static func parameter(_ rest: inout ArraySlice<UInt8>) -> (name: String, value: [UInt8])? {
    rest = rest.dropFirst().drop { $0 == 0x20 }
    let name = take(&rest) { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "=") }
    guard rest.first == UInt8(ascii: "=") else { return nil }
    rest = rest.dropFirst()
    let isQuoted = rest.first == UInt8(ascii: "\"")
    var value = isQuoted ? quoted(&rest) : []
    let unquoted = take(&rest) { $0 == UInt8(ascii: ";") }
    if !isQuoted { value = Array(trimmed(unquoted)) }
    guard !name.isEmpty, name.allSatisfy(HTTPHeaders.isTokenByte), isQuoted || !value.isEmpty,
      value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
    else { return nil }
    return (lowercased(name), value)
  }

  private static func quoted(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
    var value: [UInt8] = []
    rest = rest.dropFirst()
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      value.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
    }
    return value
  }

  private static func take(
    _ rest: inout ArraySlice<UInt8>, until isEnd: (UInt8) -> Bool
  ) -> ArraySlice<UInt8> {
    let piece = rest.prefix { !isEnd($0) }
    rest = rest[piece.endIndex...]
    return piece
  }

  private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes.map(ASCII.lowercased), as: UTF8.self)
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    bytes[..<(bytes.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? bytes.startIndex)]
  }

  /// Decodes Base64 (Infra standard, *forgiving-base64 decode*).
  ///
  /// White space is ignored. The padding may be missing.
  private static func base64(_ encoded: [UInt8]) throws(Refusal) -> Data {
    var digits = encoded.filter { !isWhiteSpace($0) }
    if digits.count.isMultiple(of: 4) {
      for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
    }
    let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
    guard digits.count % 4 != 1, digits.allSatisfy(isBase64Digit),
      let data = Data(base64Encoded: Data(digits + padding))
    else { throw malformed("contains invalid Base64") }
    return data
  }

  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x0A, 0x0C, 0x0D, 0x20: true
    default: false
    }
  }

  private static func isBase64Digit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2F: true
    default: false
    }
  }

  private static func malformed(_ problem: String) -> Refusal {
    Refusal("the data URL \(problem)", kind: .invalidURL)
  }
}
