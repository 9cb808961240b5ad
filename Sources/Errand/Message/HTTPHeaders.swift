/// Header fields in the order they were written, duplicates kept; names compare case-insensitively.
///
/// Names and values are checked when a request is dispatched: a name that is not a token, or a value with CR, LF or
/// NUL, is refused with ``RequestError/Kind/invalidRequest`` before anything is sent (RFC 9110 section 5.5).
/// Printing headers hides secrets; see ``Redaction``.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
  /// One line of a head.
  public struct Field: Sendable {
    /// The name as it was written.
    public var name: String
    /// The value, without the blanks around it.
    public var value: String
    /// The bytes of a received value that are no UTF-8; ``value`` reads them as ISO-8859-1.
    private var received: [UInt8]?

    /// Makes a field; nothing is checked before dispatch.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }

    /// Makes a field of a value as it was received, without the blanks around it.
    package init(name: String, received bytes: some Collection<UInt8>) {
      self.name = name
      if let text = HTTPHeaders.utf8(bytes) {
        value = text
      } else {
        value = HTTPHeaders.latin1(bytes)
        received = Array(bytes)
      }
    }

    /// The bytes of the value where they are no UTF-8: sent again they go out as they came.
    ///
    /// `nil` for UTF-8, and once the value was changed.
    package var foreignBytes: [UInt8]? {
      received.flatMap { HTTPHeaders.latin1($0) == value ? $0 : nil }
    }
  }

  /// The fields, in order.
  public var fields: [Field] = []

  /// Makes empty headers.
  public init() {}

  /// Makes headers of fields, in that order.
  public init(_ fields: [Field]) { self.fields = fields }

  /// Makes headers of a literal; a name written twice stays twice.
  public init(dictionaryLiteral elements: (String, String)...) {
    if !elements.isEmpty { fields = elements.map { Field(name: $0.0, value: $0.1) } }
  }

  /// The values of a name joined with `", "` (RFC 9110 section 5.3), or `nil` when it is absent.
  ///
  /// Setting replaces every field of that name by one, in the place of the first; `nil` removes them. `Set-Cookie`
  /// cannot be joined: read it with ``values(for:)``.
  public subscript(name: String) -> String? {
    get {
      var found: String?
      for field in fields where Self.same(field.name, name) {
        guard found != nil else {
          found = field.value
          continue
        }
        // In place: a server may repeat a name very often.
        found?.append(", ")
        found?.append(field.value)
      }
      return found
    }
    set { set(name, to: newValue) }
  }

  /// Every value of a name, in order.
  public func values(for name: String) -> [String] {
    fields.lazy.filter { Self.same($0.name, name) }.map(\.value)
  }

  /// Whether a field of that name is there, even with an empty value.
  public func contains(_ name: String) -> Bool { fields.contains { Self.same($0.name, name) } }

  /// Adds a field at the end and keeps those of the same name.
  public mutating func add(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Takes over `other`: each of its names replaces the fields of that name here.
  public mutating func merge(_ other: HTTPHeaders) {
    guard !other.fields.isEmpty else { return }
    guard !fields.isEmpty else {
      fields = other.fields
      return
    }
    if other.fields.count <= 8 {
      fields.removeAll { other.contains($0.name) }
    } else {
      // What servers send is merged in too, and may have very many fields.
      let names = Set(other.fields.map { Self.folded($0.name) })
      fields.removeAll { names.contains(Self.folded($0.name)) }
    }
    fields.append(contentsOf: other.fields)
  }

  /// These headers with `other` merged in; see ``merge(_:)``.
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

  /// Replaces every field of a name by one with these bytes, in the place of the first.
  mutating func setReceived(_ name: String, bytes: [UInt8]) {
    set(name, to: "")
    guard let place = fields.firstIndex(where: { Self.same($0.name, name) }) else { return }
    fields[place] = Field(name: fields[place].name, received: bytes)
  }

  /// A name with its ASCII letters made small: two names are the same where these are.
  private static func folded(_ name: String) -> String {
    String(decoding: name.utf8.map(ASCII.lowercased), as: UTF8.self)
  }

  /// Whether two field names are the same: ASCII letters in either case.
  static func same(_ a: String, _ b: String) -> Bool {
    guard a.utf8.count == b.utf8.count else { return false }
    return a.withBytes { a in b.withBytes { b in same(a, as: b) } }
  }

  private static func same(_ a: UnsafeBufferPointer<UInt8>, as b: UnsafeBufferPointer<UInt8>) -> Bool {
    for index in a.indices where a[index] != b[index] {
      guard ASCII.lowercased(a[index]) == ASCII.lowercased(b[index]) else { return false }
    }
    return true
  }

  /// Whether no byte has its high bit set, eight at a time.
  private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= 8 else { return bytes.allSatisfy { $0 < 0x80 } }
    // The last eight may overlap those before them.
    let end = bytes.count - 8
    var all = bytes.loadUnaligned(fromByteOffset: end, as: UInt64.self)
    for place in stride(from: 0, to: end, by: 8) {
      all |= bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    }
    return all & 0x8080_8080_8080_8080 == 0
  }

  /// Decodes the bytes of a name or value: as UTF-8 if they are valid, else as ISO-8859-1, so that any byte a
  /// server writes can be read.
  package static func decode(_ bytes: some Collection<UInt8>) -> String { utf8(bytes) ?? latin1(bytes) }

  /// `nil` for bytes that are no UTF-8.
  private static func utf8(_ bytes: some Collection<UInt8>) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    let isASCII = bytes.withContiguousStorageIfAvailable { Self.isASCII(UnsafeRawBufferPointer($0)) } ?? false
    // `String(validating:as:)` needs macOS 15; what is repaired has other bytes than it had.
    return isASCII || text.utf8.elementsEqual(bytes) ? text : nil
  }

  private static func latin1(_ bytes: some Collection<UInt8>) -> String {
    String(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
  }

  /// Whether bytes are a token (RFC 9110 section 5.6.2), as the name of a field has to be.
  static func isToken(_ bytes: UnsafeRawBufferPointer) -> Bool {
    !bytes.isEmpty && tokenLength(bytes) == bytes.count
  }

  /// The number of bytes of the token with which bytes begin.
  @inline(__always) static func tokenLength(_ bytes: UnsafeRawBufferPointer) -> Int {
    var length = 0
    while length < bytes.count {
      let byte = bytes[length]
      // Nearly all names have letters and hyphens alone.
      guard (byte | 0x20) &- 0x61 < 26 || byte == 0x2D || token.contains(byte) else { break }
      length &+= 1
    }
    return length
  }

  /// A name as it is printed: of one that is no token, which may be a whole field by mistake, no more than the token with
  /// which it begins.
  static func shown(name: String) -> String {
    token.containsAll(of: name)
      ? name : String(decoding: name.utf8.prefix(while: token.contains), as: UTF8.self) + "…"
  }

  /// Why a field may not be sent, as a clause; `nil` when all may.
  ///
  /// A name must be a token (RFC 9110 section 5.6.2), a value may have no CR, LF or NUL (section 5.5), and the
  /// fields that frame the message (RFC 9112 sections 3.2 and 6) are the transport's.
  var problem: String? { problem(besides: HTTPHeaders()) }

  /// The same, where what stands at the same place in `judged`, which has no problem, is not judged again.
  func problem(besides judged: HTTPHeaders) -> String? {
    for (index, field) in fields.enumerated()
    where index >= judged.fields.count || !field.isIdentical(to: judged.fields[index]) {
      if let problem = Self.problem(ofLine: field) { return problem }
      if Self.isFraming(field.name) {
        return "the header \(field.name) frames the message and cannot be set"
      }
    }
    return nil
  }

  /// Why a field is no line of a head, of a message or a part, or of trailers; `nil` where it is one.
  static func problem(ofLine field: Field, _ kind: String = "header") -> String? {
    if !isToken(field.name) {
      return "the \(kind) name \(shown(name: field.name).debugDescription) is not a token"
    }
    return breaksLine(field.value)
      ? "the value of the \(kind) \(field.name) has a line break or a NUL in it" : nil
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

  /// Whether text is a token.
  static func isToken(_ text: String) -> Bool { !text.isEmpty && token.containsAll(of: text) }

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

extension HTTPHeaders: Hashable {
  /// Whether both have the same fields in the same order; names in any case.
  public static func == (a: HTTPHeaders, b: HTTPHeaders) -> Bool {
    a.fields.count == b.fields.count
      && zip(a.fields, b.fields).allSatisfy { same($0.name, $1.name) && $0.value == $1.value }
  }

  /// Hashes names without their case, and values.
  public func hash(into hasher: inout Hasher) {
    for field in fields {
      for byte in field.name.utf8 { hasher.combine(ASCII.lowercased(byte)) }
      hasher.combine(field.value)
    }
  }
}
