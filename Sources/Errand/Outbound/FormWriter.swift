import Foundation

/// Writes one query or form.
struct FormWriter {
  let encoding: ParameterEncoding
  private(set) var bytes: [UInt8] = []

  init(encoding: ParameterEncoding) { self.encoding = encoding }

  mutating func write(_ parameters: Parameters) throws(Refusal) {
    for entry in ordered(parameters) {
      try write(entry.value, key: PercentEncoding.encode(entry.key), depth: 1)
    }
  }

  private func ordered(_ parameters: Parameters) -> [Parameters.Entry] {
    switch encoding.order {
    case .written: parameters.entries
    case .sorted: parameters.entries.sorted { $0.key < $1.key }
    }
  }

  /// The key is percent-encoded already.
  private mutating func write(_ node: Parameters.Node, key: String, depth: Int) throws(Refusal) {
    guard depth <= ParameterLimits.depth else { throw ParameterLimits.tooDeep }
    switch node {
    case .object(let object):
      for entry in ordered(object) {
        let member = "\(key)%5B\(PercentEncoding.encode(entry.key))%5D"
        try write(entry.value, key: member, depth: depth + 1)
      }
    case .list(let elements): try write(elements, key: key, depth: depth)
    default: append(key, try text(of: node, key: key))
    }
  }

  private mutating func write(_ elements: [Parameters.Node], key: String, depth: Int) throws(Refusal) {
    if encoding.arrays == .comma, elements.allSatisfy(\.isScalar) {
      return try writeJoined(elements, key: key)
    }
    for (index, element) in elements.enumerated() {
      let name =
        if !element.isScalar {
          "\(key)%5B\(index)%5D"
        } else {
          encoding.arrays == .repeated ? key : "\(key)%5B%5D"
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
    if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
    bytes.append(contentsOf: key.utf8)
    guard let value else { return }
    bytes.append(UInt8(ascii: "="))
    bytes.append(contentsOf: value.utf8)
  }

  /// The encoded text of a scalar, `nil` for null.
  private func text(of node: Parameters.Node, key: String) throws(Refusal) -> String? {
    switch node {
    case .string(let text): return PercentEncoding.encode(text)
    case .secret(let secret): return PercentEncoding.encode(secret.reveal())
    case .bool(let flag) where encoding.bools == .digits: return flag ? "1" : "0"
    case .bool(let flag): return flag ? "true" : "false"
    case .null, .list, .object: return nil
    case .integer, .double, .decimal:
      guard let text = NumberText.text(of: node) else {
        throw ParameterLimits.notFinite(key.removingPercentEncoding ?? key)
      }
      return PercentEncoding.encode(text)
    }
  }
}
