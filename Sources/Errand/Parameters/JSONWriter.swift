import ErrandJSON
import Foundation

/// Writes JSON (RFC 8259).
///
/// In contrast to `JSONSerialization`, the writer keeps the order of members.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  private let coding: () -> JSONCoding
  private var path: [String] = []

  private init(_ coding: @escaping () -> JSONCoding) { self.coding = coding }

  static func data(
    of parameters: Parameters, coding: @escaping () -> JSONCoding = { JSONCoding() }
  ) throws(Refusal) -> Data {
    var writer = JSONWriter(coding)
    try writer.write(parameters)
    return Data(writer.bytes)
  }

  private mutating func write(_ node: Parameters.Node) throws(Refusal) {
    guard path.count <= ParameterLimits.depth else { throw ParameterLimits.tooDeep }
    guard StackRoom.isEnough(at: path.count) else { throw ParameterLimits.stack }
    switch node {
    case .string(let text): write(text)
    case .secret(let secret): write(secret.reveal())
    case .bool(let flag): append(flag ? "true" : "false")
    case .null: append("null")
    case .list(let elements): try write(elements)
    case .object(let object): try write(object)
    case .date(let date): try write(date)
    case .data(let data): try write(data)
    case .file(let file) where file.isBareURL: throw ParameterLimits.bareURL(keyPath)
    case .file: throw ParameterLimits.misplacedFile(keyPath, in: "JSON")
    case .integer, .double, .decimal:
      guard let text = NumberText.text(of: node) else { throw ParameterLimits.notFinite(keyPath) }
      append(text)
    }
  }

  private mutating func write(_ object: Parameters) throws(Refusal) {
    if let key = object.repeatedKey {
      throw ParameterLimits.repeated(ParameterLimits.name(path + [key]))
    }
    append("{")
    for (index, entry) in object.entries.enumerated() {
      if index > 0 { append(",") }
      write(entry.key)
      append(":")
      path.append(entry.key)
      try write(entry.value)
      path.removeLast()
    }
    append("}")
  }

  private mutating func write(_ elements: [Parameters.Node]) throws(Refusal) {
    append("[")
    for (index, element) in elements.enumerated() {
      if index > 0 { append(",") }
      path.append(String(index))
      try write(element)
      path.removeLast()
    }
    append("]")
  }

  /// Writes a date, by default as RFC 3339 text.
  ///
  /// Few servers expect Foundation's seconds since 2001.
  private mutating func write(_ date: Date) throws(Refusal) {
    let coding = coding()
    switch coding.dateEncodingStrategy {
    case .deferredToDate, .iso8601: write(try DateText.iso8601(date, key: keyPath))
    default: try write(date, by: coding)
    }
  }

  private mutating func write(_ data: Data) throws(Refusal) {
    let coding = coding()
    if case .base64 = coding.dataEncodingStrategy { return write(data.base64EncodedString()) }
    try write(data, by: coding)
  }

  private mutating func write(_ value: some Encodable, by coding: JSONCoding) throws(Refusal) {
    do {
      bytes.append(contentsOf: try coding.encode(value))
    } catch {
      throw ParameterLimits.unwritable(keyPath, because: error)
    }
  }

  private mutating func write(_ text: String) {
    JSONStringWriter.append(text.utf8, to: &bytes, escapingSlashes: false)
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private var keyPath: String { ParameterLimits.name(path) }
}
