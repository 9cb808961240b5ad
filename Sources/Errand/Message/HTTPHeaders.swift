import Foundation

/// Header fields in order; names are compared without regard to case.
///
/// A name must be a token, and a value must not contain CR, LF or NUL (RFC 9110 sections 5.6.2 and 5.5).
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
  /// A name and a value.
  public struct Field: Sendable {
    /// The name as written.
    public var name: String
    /// The value.
    public var value: String
    /// The received bytes of a value that is not UTF-8; otherwise `nil`.
    ///
    /// A later change of ``value`` does not change the bytes.
    private var received: [UInt8]?

    /// Creates a field, without a check.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }

    package init(name: String, received bytes: some Collection<UInt8>) {
      self.name = name
      if let text = HTTPHeaders.utf8(bytes) {
        value = text
      } else {
        value = HTTPHeaders.latin1(bytes)
        received = Array(bytes)
      }
    }

    /// The received bytes of a value that is not UTF-8; `nil` if ``value`` no longer matches the bytes.
    package var foreignBytes: [UInt8]? {
      received.flatMap { HTTPHeaders.latin1($0) == value ? $0 : nil }
    }

    /// Compares the bytes of names and values.
    ///
    /// Returns false if either value was received in another encoding than UTF-8.
    func hasSameBytes(as other: Field) -> Bool {
      received == nil && other.received == nil && HTTPHeaders.areSameBytes(name, as: other.name)
        && HTTPHeaders.areSameBytes(value, as: other.value)
    }
  }

  /// The fields, in order.
  public var fields: [Field] = []

  /// Creates empty headers.
  public init() {}

  /// Creates headers from fields.
  public init(_ fields: [Field]) { self.fields = fields }

  /// Creates headers from a literal.
  public init(dictionaryLiteral elements: (String, String)...) {
    if !elements.isEmpty { fields = elements.map { Field(name: $0.0, value: $0.1) } }
  }

  /// The values of a name joined with `", "` (RFC 9110 section 5.3); `nil` if no field has the name.
  ///
  /// Setting replaces all fields of the name; `nil` removes the fields. Read `Set-Cookie` with
  /// ``values(for:)``, because joined cookies cannot be separated reliably.
  public subscript(name: String) -> String? {
    get {
      var found: String?
      for field in fields where Self.same(field.name, name) {
        guard found != nil else {
          found = field.value
          continue
        }
        // Appends in place, because a name may be repeated very often.
        found?.append(", ")
        found?.append(field.value)
      }
      return found
    }
    set { set(name, to: newValue) }
  }

  /// Returns every value of a name, in order.
  public func values(for name: String) -> [String] {
    fields.lazy.filter { Self.same($0.name, name) }.map(\.value)
  }

  /// Returns true if a field has the name.
  public func contains(_ name: String) -> Bool { fields.contains { Self.same($0.name, name) } }

  /// Adds a field at the end.
  public mutating func add(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Adds the fields of `other`, and removes earlier fields of the same names.
  public mutating func merge(_ other: HTTPHeaders) {
    guard !other.fields.isEmpty else { return }
    guard !fields.isEmpty else {
      fields = other.fields
      return
    }
    if other.fields.count <= 8 {
      fields.removeAll { other.contains($0.name) }
    } else {
      // The set avoids quadratic time.
      let names = Set(other.fields.map { Self.folded($0.name) })
      fields.removeAll { names.contains(Self.folded($0.name)) }
    }
    fields.append(contentsOf: other.fields)
  }

  /// Returns the headers with `other` merged in.
  public func merging(_ other: HTTPHeaders) -> HTTPHeaders {
    var merged = self
    merged.merge(other)
    return merged
  }

  private mutating func set(_ name: String, to value: String?) {
    guard let first = fields.firstIndex(where: { Self.same($0.name, name) }) else {
      if let value { add(name, value) }
      return
    }
    var kept = Array(fields[..<first])
    if let value { kept.append(Field(name: name, value: value)) }
    kept.append(contentsOf: fields[(first + 1)...].lazy.filter { !Self.same($0.name, name) })
    fields = kept
  }

  mutating func setReceived(_ name: String, bytes: [UInt8]) {
    set(name, to: "")
    guard let place = fields.firstIndex(where: { Self.same($0.name, name) }) else { return }
    fields[place] = Field(name: fields[place].name, received: bytes)
  }

  private static func folded(_ name: String) -> String {
    String(decoding: name.utf8.map(ASCII.lowercased), as: UTF8.self)
  }

  package static func same(_ a: String, _ b: String) -> Bool {
    guard a.utf8.count == b.utf8.count else { return false }
    return a.withBytes { a in b.withBytes { b in same(a, as: b) } }
  }

  private static func areSameBytes(_ a: String, as b: String) -> Bool {
    guard a.utf8.count == b.utf8.count else { return false }
    return a.withBytes { a in
      b.withBytes { b in
        guard let start = a.baseAddress, let other = b.baseAddress else { return true }
        return memcmp(start, other, a.count) == 0
      }
    }
  }

  private static func same(_ a: UnsafeBufferPointer<UInt8>, as b: UnsafeBufferPointer<UInt8>) -> Bool {
    for index in a.indices where a[index] != b[index] {
      guard ASCII.lowercased(a[index]) == ASCII.lowercased(b[index]) else { return false }
    }
    return true
  }

  private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= 8 else { return bytes.allSatisfy { $0 < 0x80 } }
    // The last eight bytes are read first. The loop may read some of these bytes again.
    let end = bytes.count - 8
    var all = bytes.loadUnaligned(fromByteOffset: end, as: UInt64.self)
    for place in stride(from: 0, to: end, by: 8) {
      all |= bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    }
    return all & 0x8080_8080_8080_8080 == 0
  }

  package static func decode(_ bytes: some Collection<UInt8>) -> String { utf8(bytes) ?? latin1(bytes) }

  private static func utf8(_ bytes: some Collection<UInt8>) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    let isASCII = bytes.withContiguousStorageIfAvailable { Self.isASCII(UnsafeRawBufferPointer($0)) } ?? false
    // `String(decoding:as:)` repairs invalid bytes, so the bytes are compared. `String(validating:as:)` needs
    // macOS 15.
    return isASCII || text.utf8.elementsEqual(bytes) ? text : nil
  }

  private static func latin1(_ bytes: some Collection<UInt8>) -> String {
    String(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
  }

  /// Returns true for a token (RFC 9110 section 5.6.2).
  static func isToken(_ bytes: UnsafeRawBufferPointer) -> Bool {
    !bytes.isEmpty && tokenLength(bytes) == bytes.count
  }

  @inline(__always) static func tokenLength(_ bytes: UnsafeRawBufferPointer) -> Int {
    var length = 0
    while length < bytes.count {
      let byte = bytes[length]
      guard (byte | 0x20) &- 0x61 < 26 || byte == 0x2D || token.contains(byte) else { break }
      length &+= 1
    }
    return length
  }

  /// Returns a name for an error message.
  ///
  /// An invalid name is cut, because the caller may have passed a whole field with a secret.
  static func shown(name: String) -> String {
    token.containsAll(of: name)
      ? name : String(decoding: name.utf8.prefix(while: token.contains), as: UTF8.self) + "…"
  }

  /// A description of the first field that is invalid or reserved for the transport, such as `Host`.
  ///
  /// `nil`: no such field.
  var problem: String? { problem(skippingFieldsEqualTo: HTTPHeaders()) }

  /// Returns the ``problem``, without checking fields that `judged` has at the same index.
  ///
  /// The fields of `judged` were checked before.
  func problem(skippingFieldsEqualTo judged: HTTPHeaders) -> String? {
    for (index, field) in fields.enumerated()
    where index >= judged.fields.count || !field.isIdentical(to: judged.fields[index]) {
      if let problem = Self.problem(ofLine: field) { return problem }
      if Self.isFraming(field.name) {
        return "the header \(field.name) frames the message and cannot be set"
      }
    }
    return nil
  }

  static func problem(ofLine field: Field, _ kind: String = "header") -> String? {
    if !isToken(field.name) {
      return "the \(kind) name \(shown(name: field.name).debugDescription) is not a token"
    }
    return breaksLine(field.value)
      ? "the value of the \(kind) \(field.name) contains a line break or a NUL" : nil
  }

  package static func isFraming(_ name: String) -> Bool {
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

  package static func isToken(_ text: String) -> Bool { !text.isEmpty && token.containsAll(of: text) }

  private static let token = ByteSet(isTokenByte)

  static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
    default: false
    }
  }
}

extension HTTPHeaders.Field {
  /// Compares texts with `==`, so canonically equivalent texts count as identical.
  ///
  /// No other character is equivalent to CR, LF or NUL, so an identical value has the same line breaks.
  fileprivate func isIdentical(to other: HTTPHeaders.Field) -> Bool {
    name.utf8.count == other.name.utf8.count && name == other.name && value == other.value
  }
}

extension HTTPHeaders: Hashable {
  /// Compares fields in order, and ignores the case of names.
  public static func == (a: HTTPHeaders, b: HTTPHeaders) -> Bool {
    a.fields.count == b.fields.count
      && zip(a.fields, b.fields).allSatisfy { same($0.name, $1.name) && $0.value == $1.value }
  }

  /// Hashes fields, and ignores the case of names.
  public func hash(into hasher: inout Hasher) {
    for field in fields {
      for byte in field.name.utf8 { hasher.combine(ASCII.lowercased(byte)) }
      hasher.combine(field.value)
    }
  }
}
