extension HTTPHeaders {
  /// Whether two field names are the same: ASCII letters in either case.
  static func same(_ a: String, _ b: String) -> Bool {
    guard a.utf8.count == b.utf8.count else { return false }
    return a.withBytes { a in b.withBytes { b in same(a, b) } }
  }

  private static func same(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
    for index in a.indices where a[index] != b[index] {
      guard ASCII.lowercased(a[index]) == ASCII.lowercased(b[index]) else { return false }
    }
    return true
  }

  /// Decodes the bytes of a name or value: as UTF-8 if they are valid, else as ISO-8859-1, so that any byte a
  /// server writes can be read.
  package static func decode(_ bytes: some Collection<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    // `String(validating:as:)` needs macOS 15; what is repaired has other bytes than it had.
    if bytes.allSatisfy({ $0 < 0x80 }) || text.utf8.elementsEqual(bytes) { return text }
    return String(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
  }
}
