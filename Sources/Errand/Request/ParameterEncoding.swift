import Foundation

/// How parameters become a query or a form: `a%5B%5D=1&page=2`.
///
/// Everything but RFC 3986's unreserved characters, `/` and `?` is percent-encoded in UTF-8, brackets and spaces too
/// (`%20`, never `+`). Nested keys are written `a[b][c]`. Null is its key without `=`. An empty list or object is
/// left out. The output is the same every time.
public struct ParameterEncoding: Sendable, Hashable {
  /// How the elements of a list are written.
  ///
  /// An element that is an object or a list itself is written with its index in every style, `a[0][b]=1`, which PHP,
  /// Node's qs, ASP.NET and Spring read; `a[][b]=1` would mean one object per key to some of them.
  public enum ArrayStyle: Sendable, Hashable, CaseIterable {
    /// `a[]=1&a[]=2`.
    case brackets
    /// `a=1&a=2`.
    case repeated
    /// `a=1,2`: elements are percent-encoded, then joined; null is an empty element. A list with an object or a
    /// list in it is written with ``brackets``.
    case comma
  }

  /// In which order keys are written, on every level.
  public enum Order: Sendable, Hashable, CaseIterable {
    /// As they stand in the parameters.
    case written
    /// Sorted by key; the elements of a list keep their order.
    case sorted
  }

  /// How truth values are written.
  public enum BoolStyle: Sendable, Hashable, CaseIterable {
    /// `true` and `false`.
    case words
    /// `1` and `0`.
    case digits
  }

  /// How the elements of a list are written; `.brackets` by default.
  public var arrays: ArrayStyle
  /// In which order keys are written; `.written` by default.
  public var order: Order
  /// How truth values are written; `.words` by default.
  public var bools: BoolStyle

  /// Makes an encoding.
  public init(arrays: ArrayStyle = .brackets, order: Order = .written, bools: BoolStyle = .words) {
    self.arrays = arrays
    self.order = order
    self.bools = bools
  }

  /// Writes parameters; empty ones give an empty string.
  ///
  /// Throws a ``Refusal`` of kind ``RequestError/Kind/encoding`` for a number that is infinite or not a number, for a file, and
  /// for nesting deeper than 512 levels.
  public func encode(_ parameters: Parameters) throws(Refusal) -> String {
    var writer = FormWriter(encoding: self)
    try writer.write(parameters)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

/// Writes one query or form, or names the parts of a form that is sent in parts.
struct FormWriter {
  let encoding: ParameterEncoding
  /// Whether keys and values stay as they are, for parts, in place of one text.
  private let makesParts: Bool
  private(set) var bytes: [UInt8] = []
  private(set) var fields: [(name: String, value: String)] = []
  private(set) var files: [(name: String, file: Parameters.File)] = []

  init(encoding: ParameterEncoding, makesParts: Bool = false) {
    self.encoding = encoding
    self.makesParts = makesParts
  }

  mutating func write(_ parameters: Parameters) throws(Refusal) {
    for entry in ordered(parameters) { try write(entry.value, key: escaped(entry.key), depth: 1) }
  }

  private func escaped(_ text: String) -> String { makesParts ? text : PercentEncoding.encode(text) }

  /// The key of what stands within another, whose key is escaped already.
  private func key(_ key: String, _ inner: String) -> String {
    makesParts ? "\(key)[\(inner)]" : "\(key)%5B\(inner)%5D"
  }

  private func ordered(_ parameters: Parameters) -> [Parameters.Entry] {
    switch encoding.order {
    case .written: parameters.entries
    case .sorted: parameters.entries.sorted { $0.key < $1.key }
    }
  }

  /// The key is escaped already.
  private mutating func write(_ node: Parameters.Node, key: String, depth: Int) throws(Refusal) {
    guard depth <= ParameterLimits.depth else { throw ParameterLimits.tooDeep }
    switch node {
    case .object(let object):
      for entry in ordered(object) {
        try write(entry.value, key: self.key(key, escaped(entry.key)), depth: depth + 1)
      }
    case .list(let elements): try write(elements, key: key, depth: depth)
    case .file(let file) where makesParts: files.append((key, file))
    default: append(key, try text(of: node, key: key))
    }
  }

  private mutating func write(_ elements: [Parameters.Node], key: String, depth: Int) throws(Refusal) {
    if encoding.arrays == .comma, elements.allSatisfy({ $0.isScalar && !$0.isFile }) {
      return try writeJoined(elements, key: key)
    }
    for (index, element) in elements.enumerated() {
      let name =
        if !element.isScalar {
          self.key(key, String(index))
        } else {
          encoding.arrays == .repeated ? key : self.key(key, "")
        }
      try write(element, key: name, depth: depth + 1)
    }
  }

  private mutating func writeJoined(_ elements: [Parameters.Node], key: String) throws(Refusal) {
    guard !elements.isEmpty else { return }
    var parts: [String] = []
    for element in elements { parts.append(try text(of: element, key: key) ?? "") }
    append(key, parts.joined(separator: ","))
  }

  /// An empty key with null would be an empty piece, a stray `&`; it is left out.
  private mutating func append(_ key: String, _ value: String?) {
    guard value != nil || !key.isEmpty else { return }
    guard !makesParts else { return fields.append((key, value ?? "")) }
    if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
    bytes.append(contentsOf: key.utf8)
    guard let value else { return }
    bytes.append(UInt8(ascii: "="))
    bytes.append(contentsOf: value.utf8)
  }

  /// The encoded text of a scalar, `nil` for null.
  private func text(of node: Parameters.Node, key: String) throws(Refusal) -> String? {
    switch node {
    case .string(let text): return escaped(text)
    case .secret(let secret): return escaped(secret.reveal())
    case .file: throw ParameterLimits.misplacedFile(plain(key), "a query")
    case .bool(let flag) where encoding.bools == .digits: return flag ? "1" : "0"
    case .bool(let flag): return flag ? "true" : "false"
    case .null, .list, .object: return nil
    case .integer, .double, .decimal:
      guard let text = NumberText.text(of: node) else {
        throw ParameterLimits.notFinite(plain(key))
      }
      return escaped(text)
    }
  }

  private func plain(_ key: String) -> String { makesParts ? key : key.removingPercentEncoding ?? key }
}

/// Numbers as text, the same in JSON, forms and queries.
enum NumberText {
  /// The text of a number node; `nil` when it is not finite or no number.
  static func text(of node: Parameters.Node) -> String? {
    switch node {
    case .integer(let number): String(number)
    case .double(let number): text(of: number)
    case .decimal(let number): number.isFinite ? number.description : nil
    default: nil
    }
  }

  /// The fewest digits that read back as the same number; `2`, not `2.0`.
  private static func text(of number: Double) -> String? {
    guard number.isFinite else { return nil }
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

/// What parameters may not be.
enum ParameterLimits {
  /// Levels of nesting: what JSON parsers take, and far from the end of the stack.
  static let depth = 512

  static let tooDeep = Refusal("the parameters are nested deeper than \(depth) levels", kind: .encoding)

  static func misplacedFile(_ key: String, _ place: String) -> Refusal {
    Refusal(
      "the parameter \(key.debugDescription) is a file, which \(place) cannot hold: files are sent as parts of a form, by "
        + "methods with a body and the serializer .form or .multipart", kind: .encoding)
  }

  static func notFinite(_ key: String) -> Refusal {
    Refusal("the parameter \(key.debugDescription) is infinite or not a number", kind: .encoding)
  }
}
