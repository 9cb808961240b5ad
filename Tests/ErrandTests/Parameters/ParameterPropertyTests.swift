import Foundation
import Testing

@testable import Errand

@Suite("Parameters with random content")
struct ParameterPropertyTests {
  @Test("A form decodes to the written keys and values")
  func form() throws {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<5_000 {
      let parameters = generator.parameters(depth: 3)
      let text = try ParameterEncoding().encode(parameters)
      let expected = flattened(.object(parameters), key: "", isRoot: true)
      if decoded(text) != expected { Issue.record("\(text) of \(expected)") }
      if try ParameterEncoding().encode(parameters) != text { Issue.record("\(text) is not stable") }
    }
  }

  private func decoded(_ form: String) -> [String] {
    form.isEmpty
      ? []
      : form.split(separator: "&", omittingEmptySubsequences: false).map { pair in
        pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
          .map { String(decoding: PercentEncoding.decode($0), as: UTF8.self).debugDescription }
          .joined(separator: " is ")
      }
  }

  private func flattened(_ node: Parameters.Node, key: String, isRoot: Bool = false) -> [String] {
    switch node {
    case .object(let object):
      return object.entries.flatMap { flattened($0.value, key: isRoot ? $0.key : "\(key)[\($0.key)]") }
    case .list(let elements):
      return elements.enumerated().flatMap { index, element in
        flattened(element, key: element.isScalar ? "\(key)[]" : "\(key)[\(index)]")
      }
    case .null: return key.isEmpty ? [] : [key.debugDescription]
    case .string(let text): return ["\(key.debugDescription) is \(text.debugDescription)"]
    case .bool(let flag): return ["\(key.debugDescription) is \"\(flag)\""]
    case .date(let date): return ["\(key.debugDescription) is \(date.formatted(.iso8601).debugDescription)"]
    case .data(let data): return ["\(key.debugDescription) is \(data.base64EncodedString().debugDescription)"]
    default: return ["\(key.debugDescription) is \"\(NumberText.text(of: node) ?? "none")\""]
    }
  }

  @Test("JSON decodes to the same values")
  func json() throws {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<5_000 {
      let parameters = generator.parameters(depth: 3)
      let data = try JSONWriter.data(of: parameters)
      // Foundation's parser on Linux removes U+FEFF from the start of each string.
      if String(decoding: data, as: UTF8.self).unicodeScalars.contains("\u{FEFF}") { continue }
      let parsed = try JSONSerialization.jsonObject(with: data)
      if !matches(.object(parameters), parsed) {
        Issue.record("\(String(decoding: data, as: UTF8.self)) became \(parsed)")
      }
    }
  }

  private func matches(_ node: Parameters.Node, _ parsed: Any) -> Bool {
    switch node {
    case .string(let text): return (parsed as? String)?.utf8.elementsEqual(text.utf8) == true
    case .secret(let secret): return parsed as? String == secret.reveal()
    case .integer(let number): return (parsed as? NSNumber)?.int64Value == number
    case .decimal(let number): return (parsed as? NSNumber)?.uint64Value == (number as NSNumber).uint64Value
    case .double(let number): return (parsed as? NSNumber).map { isNear($0.doubleValue, number) } == true
    case .bool(let flag): return (parsed as? NSNumber)?.boolValue == flag
    case .null: return parsed is NSNull
    case .date(let date): return parsed as? String == date.formatted(.iso8601)
    case .data(let data): return parsed as? String == data.base64EncodedString()
    case .file: return false
    case .list(let elements):
      guard let parsed = parsed as? [Any], parsed.count == elements.count else { return false }
      return zip(elements, parsed).allSatisfy(matches)
    case .object(let object):
      guard let parsed = parsed as? [String: Any], parsed.count == object.entries.count else { return false }
      return object.entries.allSatisfy { entry in parsed[entry.key].map { matches(entry.value, $0) } == true }
    }
  }

  /// Foundation's parser uses `Decimal`, and loses the last digits.
  private func isNear(_ parsed: Double, _ number: Double) -> Bool {
    abs(parsed - number) <= abs(number) * 1e-12 || abs(number) < 1e-100
  }

  @Test("Numbers decode to the same numbers")
  func numbers() throws {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<5_000 {
      let bits = generator.next()
      let (double, float) = (Double(bitPattern: bits), Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
      if double.isFinite {
        let text = try ParameterEncoding().encode(["a": double]).dropFirst(2).replacing("%2B", with: "+")
        if Double(text) != double { Issue.record("\(text) of \(double)") }
      }
      if float.isFinite {
        let text = try ParameterEncoding().encode(["a": float]).dropFirst(2).replacing("%2B", with: "+")
        if Float(text) != float { Issue.record("\(text) of \(float)") }
      }
      let text = try ParameterEncoding().encode(["a": Int64(bitPattern: bits), "b": bits])
      if text != "a=\(Int64(bitPattern: bits))&b=\(bits)" { Issue.record("\(text) of \(bits)") }
    }
  }
}
