extension Redaction {
  /// How deep URLs within values of URLs are looked into; what is deeper is hidden.
  private static let depthLimit = 3

  /// The pairs of a query or a form (WHATWG URL section 5.1) with secret values replaced.
  func pairs(_ bytes: ArraySlice<UInt8>, in place: Place, depth: Int = 0) -> [UInt8] {
    let ampersand = UInt8(ascii: "&")
    let pairs = bytes.split(separator: ampersand, omittingEmptySubsequences: false)
    return Array(pairs.map { pair($0, in: place, depth: depth) }.joined(separator: [ampersand]))
  }

  private func pair(_ pair: ArraySlice<UInt8>, in place: Place, depth: Int) -> [UInt8] {
    guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return inner(pair, depth: depth) }
    let value = pair[(equals + 1)...]
    let name = String(decoding: PercentEncoding.decode(pair[..<equals], plusIsBlank: true), as: UTF8.self)
    guard hides(name, in: place) else { return pair[...equals] + inner(value, depth: depth) }
    return value.isEmpty ? Array(pair) : pair[...equals] + Array(Self.marker.utf8)
  }

  /// A value that may be a URL or have pairs of its own; where those are percent-encoded it is hidden as a whole.
  private func inner(_ value: ArraySlice<UInt8>, depth: Int) -> [UInt8] {
    guard value.contains(where: Self.isTelling) else { return Array(value) }
    guard depth < Self.depthLimit else { return Array(Self.marker.utf8) }
    let decoded = PercentEncoding.decode(value, plusIsBlank: true)
    let redacted = text(bytes: decoded, depth: depth + 1)
    if redacted == decoded { return Array(value) }
    return value.elementsEqual(decoded) ? redacted : Array(Self.marker.utf8)
  }

  /// Whether a value with the byte may have anything inside: pairs, a URL, or blanks after a scheme.
  private static func isTelling(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "%"), UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "+"), 0x20: true
    default: false
    }
  }
}
