extension HTTPHeaders {
  /// Why a field may not be sent, as a clause; `nil` when all may.
  ///
  /// A name must be a token (RFC 9110 section 5.6.2), a value may have no CR, LF or NUL (section 5.5), and the
  /// fields that frame the message (RFC 9112 sections 3.2 and 6) are the transport's.
  var problem: String? { problem(besides: HTTPHeaders()) }

  /// The same, where what stands at the same place in `judged`, which has no problem, is not judged again.
  func problem(besides judged: HTTPHeaders) -> String? {
    for (index, field) in fields.enumerated()
    where index >= judged.fields.count || !field.isIdentical(to: judged.fields[index]) {
      if field.name.isEmpty || !Self.token.containsAll(of: field.name) {
        return "the header name \(field.name.debugDescription) is not a token"
      }
      if Self.breaksLine(field.value) {
        return "the value of the header \(field.name) has a line break or a NUL in it"
      }
      if Self.isFraming(field.name) {
        return "the header \(field.name) frames the message and cannot be set"
      }
    }
    return nil
  }

  /// Whether a field of that name frames the message.
  static func isFraming(_ name: String) -> Bool {
    switch name.utf8.count {
    case 4: same(name, "Host")
    case 14: same(name, "Content-Length")
    case 17: same(name, "Transfer-Encoding")
    default: false
    }
  }

  private static func breaksLine(_ value: String) -> Bool {
    value.withBytes { bytes in bytes.contains { $0 <= 0x0D && ($0 == 0x0D || $0 == 0x0A || $0 == 0) } }
  }

  private static let token = ByteSet(isTokenByte)

  /// Whether a byte may be in a token (RFC 9110 section 5.6.2).
  static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
    default: false
    }
  }
}

extension HTTPHeaders.Field {
  /// Whether what holds for the other, whose name is a token, holds for this one.
  ///
  /// Equal strings may differ in bytes; but what equals ASCII and is as long is the same, and no other character equals a
  /// line break or NUL.
  fileprivate func isIdentical(to other: HTTPHeaders.Field) -> Bool {
    name.utf8.count == other.name.utf8.count && name == other.name && value == other.value
  }
}
