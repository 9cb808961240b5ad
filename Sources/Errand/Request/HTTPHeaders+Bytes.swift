extension HTTPHeaders {
  /// Whether two field names are the same: ASCII letters in either case.
  static func same(_ a: String, _ b: String) -> Bool {
    let (left, right) = (a.utf8, b.utf8)
    guard left.count == right.count else { return false }
    return zip(left, right).allSatisfy { lowercased($0) == lowercased($1) }
  }

  /// Decodes the bytes of a name or value: as UTF-8 if they are valid, else as ISO-8859-1, so that any byte a
  /// server writes can be read.
  package static func decode(_ bytes: some Collection<UInt8>) -> String {
    // `String(validating:as:)` needs macOS 15; what is repaired has other bytes than it had.
    let text = String(decoding: bytes, as: UTF8.self)
    if text.utf8.elementsEqual(bytes) { return text }
    return String(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }
}

extension HTTPHeaders: Hashable {
  /// Whether both have the same fields in the same order; names in any case.
  public static func == (a: HTTPHeaders, b: HTTPHeaders) -> Bool {
    a.fields.count == b.fields.count
      && zip(a.fields, b.fields).allSatisfy { same($0.name, $1.name) && $0.value == $1.value }
  }

  /// Hashes names without their case, and values.
  public func hash(into hasher: inout Hasher) {
    for field in fields {
      for byte in field.name.utf8 { hasher.combine(Self.lowercased(byte)) }
      hasher.combine(field.value)
    }
  }
}

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// One `Name: value` a line, secrets hidden by ``Redaction/standard``.
  public var description: String {
    Redaction.standard.headers(self).fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the redacted lines only.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: description.split(separator: "\n")) }
}

extension HTTPHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `Name: value`, a secret hidden by ``Redaction/standard``.
  public var description: String { HTTPHeaders([self]).description }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the redacted line only.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }
}
