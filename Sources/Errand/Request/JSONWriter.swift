import ErrandJSON
import Foundation

/// Writes parameters as JSON (RFC 8259): members in their order, numbers with every digit.
///
/// `JSONSerialization` keeps no order and passes numbers through `Double`.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  /// Where it is, for the text of an error.
  private var path: [String] = []

  static func data(of parameters: Parameters) throws(Refusal) -> Data {
    var writer = JSONWriter()
    try writer.write(parameters)
    return Data(writer.bytes)
  }

  private mutating func write(_ node: Parameters.Node) throws(Refusal) {
    guard path.count <= ParameterLimits.depth else { throw ParameterLimits.tooDeep }
    switch node {
    case .string(let text): write(text)
    case .secret(let secret): write(secret.reveal())
    case .bool(let flag): append(flag ? "true" : "false")
    case .null: append("null")
    case .list(let elements): try write(elements)
    case .object(let object): try write(object)
    case .file: throw ParameterLimits.misplacedFile(keyPath, "JSON")
    case .integer, .double, .decimal:
      guard let text = NumberText.text(of: node) else { throw ParameterLimits.notFinite(keyPath) }
      append(text)
    }
  }

  private mutating func write(_ object: Parameters) throws(Refusal) {
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

  private mutating func write(_ text: String) {
    JSONStringWriter.append(text.utf8, to: &bytes, escapingSlashes: false)
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private var keyPath: String { (path.first ?? "") + path.dropFirst().map { "[\($0)]" }.joined() }
}
