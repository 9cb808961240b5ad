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

  /// Whether no byte has its high bit set, eight at a time.
  private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var place = 0
    while place + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 { return false }
      place += 8
    }
    return bytes[place...].allSatisfy { $0 < 0x80 }
  }

  /// Decodes the bytes of a name or value: as UTF-8 if they are valid, else as ISO-8859-1, so that any byte a
  /// server writes can be read.
  package static func decode(_ bytes: some Collection<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    let isASCII = bytes.withContiguousStorageIfAvailable { Self.isASCII(UnsafeRawBufferPointer($0)) } ?? false
    // `String(validating:as:)` needs macOS 15; what is repaired has other bytes than it had.
    if isASCII || text.utf8.elementsEqual(bytes) { return text }
    return String(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
  }
}
