extension Redaction {
  /// How deep URLs within values of URLs are looked into; what is deeper is hidden.
  private static let depthLimit = 3

  /// The pairs of a query or a form (WHATWG URL section 5.1) with secret values replaced.
  func pairs(_ bytes: ArraySlice<UInt8>, in place: Place, depth: Int = 0, into result: inout [UInt8]) {
    let ampersand = UInt8(ascii: "&")
    var start = bytes.startIndex
    while true {
      let end = bytes[start...].firstIndex(of: ampersand) ?? bytes.endIndex
      pair(bytes[start..<end], in: place, depth: depth, into: &result)
      guard end < bytes.endIndex else { return }
      result.append(ampersand)
      start = end + 1
    }
  }

  private func pair(
    _ pair: ArraySlice<UInt8>, in place: Place, depth: Int, into result: inout [UInt8]
  ) {
    guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else {
      return inner(pair, depth: depth, into: &result)
    }
    let value = pair[(equals + 1)...]
    result.append(contentsOf: pair[...equals])
    if !pair[..<equals].withUnsafeBufferPointer({ hides(encoded: $0, in: place) }) {
      inner(value, depth: depth, into: &result)
    } else if !value.isEmpty {
      result.append(contentsOf: Self.marker.utf8)
    }
  }

  /// A value that may be a URL or have pairs of its own; where those are percent-encoded it is hidden as a whole.
  private func inner(_ value: ArraySlice<UInt8>, depth: Int, into result: inout [UInt8]) {
    guard value.contains(where: Self.isTelling) else { return result.append(contentsOf: value) }
    guard depth < Self.depthLimit else { return result.append(contentsOf: Self.marker.utf8) }
    let decoded = PercentEncoding.decode(value, plusIsBlank: true)
    let redacted = text(bytes: decoded, depth: depth + 1)
    if redacted == decoded {
      result.append(contentsOf: value)
    } else if value.elementsEqual(decoded) {
      result.append(contentsOf: redacted)
    } else {
      result.append(contentsOf: Self.marker.utf8)
    }
  }

  /// Whether a value with the byte may have anything inside: pairs, a URL, or blanks after a scheme.
  private static func isTelling(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "%"), UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "+"), 0x20: true
    default: false
    }
  }
}
