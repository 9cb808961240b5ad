import ErrandJSON
import Foundation

/// Writes a query or a form, or collects the parts of a multipart form.
struct FormWriter {
  let encoding: ParameterEncoding
  /// True for a multipart form, whose fields are not percent-encoded.
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

  private func escaped(_ text: String) -> String {
    if makesParts { return text }
    let escaped = PercentEncoding.encode(text)
    return encoding.spaces == .plus ? escaped.replacing("%20", with: "+") : escaped
  }

  private func key(_ key: String, element: String) -> String {
    makesParts ? "\(key)[\(element)]" : "\(key)%5B\(element)%5D"
  }

  private func key(_ key: String, member: String) -> String {
    encoding.nesting == .dots ? "\(key).\(escaped(member))" : self.key(key, element: escaped(member))
  }

  private func ordered(_ parameters: Parameters) -> [Parameters.Entry] {
    switch encoding.order {
    case .written: parameters.entries
    case .sorted: parameters.entries.sorted { $0.key < $1.key }
    }
  }

  /// Writes a value; `key` is already percent-encoded, except for a multipart form.
  private mutating func write(_ node: Parameters.Node, key: String, depth: Int) throws(Refusal) {
    guard depth <= ParameterLimits.depth else { throw ParameterLimits.tooDeep }
    guard StackRoom.isEnough(at: depth) else { throw ParameterLimits.stack }
    switch node {
    case .object(let object):
      if object.isEmpty, let type = object.emptyCase { throw ParameterLimits.emptyCase(plain(key), of: type) }
      for entry in ordered(object) {
        try write(entry.value, key: self.key(key, member: entry.key), depth: depth + 1)
      }
    case .list(let elements): try write(elements, key: key, depth: depth)
    case .file(let file) where file.isBareURL: throw ParameterLimits.bareURL(plain(key))
    case .file(let file) where makesParts: files.append((key, file))
    case .null where encoding.nulls == .omitted: break
    default: append(key, value: try text(of: node, key: key))
    }
  }

  private mutating func write(_ elements: [Parameters.Node], key: String, depth: Int) throws(Refusal) {
    if encoding.arrays == .comma, elements.allSatisfy({ $0.isScalar && !$0.isFile }) {
      return try writeJoined(elements, key: key)
    }
    for (index, element) in elements.enumerated() {
      let name =
        if !element.isScalar || encoding.arrays == .indexed {
          self.key(key, element: String(index))
        } else {
          encoding.arrays == .repeated ? key : self.key(key, element: "")
        }
      try write(element, key: name, depth: depth + 1)
    }
  }

  private mutating func writeJoined(_ elements: [Parameters.Node], key: String) throws(Refusal) {
    var parts: [String] = []
    for element in elements where element != .null || encoding.nulls != .omitted {
      parts.append(try text(of: element, key: key) ?? "")
    }
    if !parts.isEmpty { append(key, value: parts.joined(separator: ",")) }
  }

  private mutating func append(_ key: String, value: String?) {
    guard value != nil || !key.isEmpty else { return }
    guard !makesParts else { return fields.append((key, value ?? "")) }
    if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
    bytes.append(contentsOf: key.utf8)
    guard let value else { return }
    bytes.append(UInt8(ascii: "="))
    bytes.append(contentsOf: value.utf8)
  }

  private func text(of node: Parameters.Node, key: String) throws(Refusal) -> String? {
    switch node {
    case .string(let text): return escaped(text)
    case .secret(let secret): return escaped(secret.reveal())
    case .file: throw ParameterLimits.misplacedFile(plain(key), in: "a query")
    case .bool(let flag) where encoding.bools == .digits: return flag ? "1" : "0"
    case .bool(let flag): return flag ? "true" : "false"
    case .null where encoding.nulls == .word: return "null"
    case .null where encoding.nulls == .empty: return ""
    case .null, .list, .object: return nil
    case .date(let date): return escaped(try text(of: date, key: key))
    case .data(let data): return escaped(try text(of: data, key: key))
    case .integer, .double, .decimal:
      guard let text = NumberText.text(of: node) else {
        throw ParameterLimits.notFinite(plain(key))
      }
      return escaped(text)
    }
  }

  private func text(of date: Date, key: String) throws(Refusal) -> String {
    switch encoding.dates {
    case .iso8601: return try DateText.iso8601(date, key: plain(key))
    case .secondsSince1970: return try number(date.timeIntervalSince1970, for: key)
    case .millisecondsSince1970: return try number(date.timeIntervalSince1970 * 1_000, for: key)
    case .custom(let maker): return try made(date, by: maker, for: key)
    }
  }

  private func text(of data: Data, key: String) throws(Refusal) -> String {
    switch encoding.data {
    case .base64: return data.base64EncodedString()
    case .base64URL:
      return data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
    case .custom(let maker): return try made(data, by: maker, for: key)
    }
  }

  private func made<Value>(
    _ value: Value, by maker: ParameterEncoding.TextMaker<Value>, for key: String
  ) throws(Refusal) -> String {
    do {
      return try maker.text(value)
    } catch {
      throw ParameterLimits.unwritable(plain(key), because: error)
    }
  }

  private func number(_ number: Double, for key: String) throws(Refusal) -> String {
    guard let text = NumberText.text(of: .double(number)) else { throw ParameterLimits.dateless(plain(key)) }
    return text
  }

  private func plain(_ key: String) -> String {
    if makesParts { return key }
    return key.replacing("+", with: " ").removingPercentEncoding ?? key
  }
}
