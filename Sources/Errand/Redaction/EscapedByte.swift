import ErrandJSON

/// Matches characters that are escaped as in URLs, JSON, Swift or HTML.
enum EscapedByte {
  typealias Step = (position: Int, matched: Int)

  static func isMark(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: "&"), UInt8(ascii: "+"): true
    default: false
    }
  }

  static func firsts(in text: UnsafeBufferPointer<UInt8>, at position: Int, _ visit: (UInt8) -> Void) {
    switch text[position] {
    case UInt8(ascii: "+"): visit(0x20)
    case UInt8(ascii: "%"):
      percents(in: text, at: position) { byte, _ in
        visit(byte)
        if byte >= 0x80 { visit(first(of: Unicode.Scalar(byte))) }
      }
    case UInt8(ascii: "&"):
      if let (scalar, _) = entity(in: text, at: position) { visit(first(of: scalar)) }
    default:
      if position + 1 < text.count, text[position + 1] == UInt8(ascii: "\\") { visit(UInt8(ascii: "\\")) }
      guard let end = endOfBackslashes(in: text, from: position) else { return }
      if text[end] == UInt8(ascii: "u"), let (scalar, _) = scalar(in: text, after: end) {
        visit(first(of: scalar))
      } else {
        visit(text[end])
        control(text[end]).map(visit)
      }
    }
  }

  private static func first(of scalar: Unicode.Scalar) -> UInt8 {
    scalar.isASCII ? UInt8(truncatingIfNeeded: scalar.value) : UTF8.encode(scalar)?.first ?? 0
  }

  /// Returns the positions after the escape and after the matched bytes of `rest`; `nil` without a match.
  static func step(
    in text: UnsafeBufferPointer<UInt8>, at position: Int, for rest: ArraySlice<UInt8>,
    _ isSame: (UInt8, UInt8) -> Bool
  ) -> Step? {
    guard let next = rest.first else { return nil }
    switch text[position] {
    case UInt8(ascii: "+"): return next == 0x20 ? (position + 1, rest.startIndex + 1) : nil
    case UInt8(ascii: "%"): return percent(in: text, at: position, for: rest, isSame)
    case UInt8(ascii: "\\"): return backslash(in: text, at: position, for: rest)
    case UInt8(ascii: "&"): return entity(in: text, at: position).flatMap { step(to: $0.1, over: $0.0, rest) }
    default: return nil
    }
  }

  /// Matches `%2F`, `%252F` from a URL within a URL, and the Latin-1 form `%E4` of an ä.
  private static func percent(
    in text: UnsafeBufferPointer<UInt8>, at position: Int, for rest: ArraySlice<UInt8>,
    _ isSame: (UInt8, UInt8) -> Bool
  ) -> Step? {
    var found: Step?
    percents(in: text, at: position) { byte, end in
      if isSame(byte, rest[rest.startIndex]) {
        found = (end, rest.startIndex + 1)
      } else if byte >= 0x80, let whole = step(to: end, over: Unicode.Scalar(byte), rest) {
        found = whole
      }
    }
    return found
  }

  /// Visits the escaped byte, and the bytes of up to two nested escapes: for `%252F`, `%` and `/`.
  private static func percents(
    in text: UnsafeBufferPointer<UInt8>, at position: Int, _ visit: (UInt8, Int) -> Void
  ) {
    var digits = position + 1
    for _ in 0..<3 {
      guard digits + 1 < text.count, let high = ASCII.hexDigit(text[digits]),
        let low = ASCII.hexDigit(text[digits + 1])
      else { return }
      let byte = high << 4 | low
      visit(byte, digits + 2)
      guard byte == UInt8(ascii: "%") else { return }
      digits += 2
    }
  }

  /// The maximum number of backslashes in an escape.
  ///
  /// A quotation mark within five nested strings has 31 backslashes. The limit keeps the search time linear.
  private static let backslashLimit = 31

  /// Matches escapes such as `\"` and `\u{e9}`, also with the doubled backslashes of a nested string.
  private static func backslash(
    in text: UnsafeBufferPointer<UInt8>, at position: Int, for rest: ArraySlice<UInt8>
  ) -> Step? {
    let next = rest[rest.startIndex]
    if next == UInt8(ascii: "\\"), position + 1 < text.count, text[position + 1] == next {
      return (position + 2, rest.startIndex + 1)
    }
    guard let end = endOfBackslashes(in: text, from: position) else { return nil }
    if text[end] == UInt8(ascii: "u"), let (scalar, after) = scalar(in: text, after: end) {
      return step(to: after, over: scalar, rest)
    }
    let isSame = text[end] == next || control(text[end]) == next
    return isSame ? (end + 1, rest.startIndex + 1) : nil
  }

  private static func endOfBackslashes(in text: UnsafeBufferPointer<UInt8>, from position: Int) -> Int? {
    let limit = min(position + backslashLimit, text.count - 1)
    var end = position
    while end <= limit, text[end] == UInt8(ascii: "\\") { end += 1 }
    return end <= limit ? end : nil
  }

  private static func control(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  private static func scalar(in text: UnsafeBufferPointer<UInt8>, after index: Int) -> (Unicode.Scalar, Int)?
  {
    let start = index + 1
    if start < text.count, text[start] == UInt8(ascii: "{") {
      return numbered(text[(start + 1)...], radix: 16, until: UInt8(ascii: "}"))
    }
    guard let unit = JSONEscapes.codeUnit(text[start...]) else { return nil }
    if let scalar = Unicode.Scalar(unit) { return (scalar, start + 4) }
    guard unit < 0xDC00, let low = endOfBackslashes(in: text, from: start + 4), low > start + 4,
      text[low] == UInt8(ascii: "u"),
      let second = JSONEscapes.codeUnit(text[(low + 1)...]), (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(second & 0x3FF)))
    else { return nil }
    return (scalar, low + 5)
  }

  /// Reads entities such as `&amp;`, `&#39;` and `&#x27;`.
  private static func entity(in text: UnsafeBufferPointer<UInt8>, at position: Int) -> (Unicode.Scalar, Int)?
  {
    let inside = text[(position + 1)...]
    if inside.first == UInt8(ascii: "#") {
      let digits = inside.dropFirst()
      let isHex = digits.first.map { $0 | 0x20 == UInt8(ascii: "x") } ?? false
      return numbered(
        isHex ? digits.dropFirst() : digits, radix: isHex ? 16 : 10, until: UInt8(ascii: ";"))
    }
    guard let first = inside.first, first < 0x80 else { return nil }
    for (name, scalar) in entities[Int(first)] where inside.starts(with: name) {
      return (scalar, inside.startIndex + name.count)
    }
    return nil
  }

  /// HTML names with `;`, indexed by the ASCII code of the first letter.
  private static let entities: [[([UInt8], Unicode.Scalar)]] = {
    var entities = [[([UInt8], Unicode.Scalar)]](repeating: [], count: 128)
    let latin = zip(
      latinNames.split(separator: " ").map(String.init), (0xA0...0xFF).compactMap(Unicode.Scalar.init(_:)))
    for (name, scalar) in asciiNames + Array(latin) {
      let bytes = Array("\(name);".utf8)
      entities[Int(bytes[0])].append((bytes, scalar))
    }
    return entities
  }()

  /// The HTML names of U+00A0 to U+00FF in order.
  private static let latinNames = """
    nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot \
    cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml \
    Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig \
    agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute \
    ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
    """

  private static let asciiNames: [(String, Unicode.Scalar)] = [
    ("amp", "&"), ("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'"), ("plus", "+"), ("sol", "/"),
    ("equals", "="), ("colon", ":"), ("semi", ";"), ("comma", ","), ("period", "."), ("excl", "!"),
    ("num", "#"), ("dollar", "$"), ("percnt", "%"), ("lpar", "("), ("rpar", ")"), ("ast", "*"),
    ("quest", "?"), ("commat", "@"), ("lsqb", "["), ("bsol", "\\"), ("rsqb", "]"), ("Hat", "^"),
    ("lowbar", "_"), ("grave", "`"), ("lcub", "{"), ("verbar", "|"), ("rcub", "}"),
  ]

  private static func numbered(
    _ digits: Slice<UnsafeBufferPointer<UInt8>>, radix: Int, until sign: UInt8
  ) -> (Unicode.Scalar, Int)? {
    // The limit of 31 digits leaves room for leading zeros.
    guard let end = digits.prefix(32).firstIndex(of: sign), end > digits.startIndex,
      let number = UInt32(String(decoding: digits[..<end], as: UTF8.self), radix: radix)
    else { return nil }
    return Unicode.Scalar(number).map { ($0, end + 1) }
  }

  private static func step(to end: Int, over scalar: Unicode.Scalar, _ rest: ArraySlice<UInt8>) -> Step? {
    let bytes = UTF8.encode(scalar).map(Array.init) ?? []
    return rest.starts(with: bytes) ? (end, rest.startIndex + bytes.count) : nil
  }
}
