import Foundation
import Testing

@testable import Errand

@Suite("HTTP headers, for any content")
struct HTTPHeadersPropertyTests {
  private typealias Model = [(name: String, value: String)]

  private static let names = ["a", "A", "b", "B", "X-Y", "x-y", "É"]

  @Test("Setting, adding, removing and merging agree with a plain list")
  func model() {
    var generator = SeededGenerator(seed: 6)
    for _ in 0..<2_000 {
      var (headers, model): (HTTPHeaders, Model) = ([:], [])
      for _ in 0..<generator.below(20) {
        change(&headers, &model, &generator)
        let isSame = headers.fields.elementsEqual(model) { $0.name == $1.name && $0.value == $1.value }
        if !isSame { Issue.record("\(headers.fields) is not \(model)") }
      }
      for name in Self.names { compareReading(headers, model, name) }
    }
  }

  private func change(
    _ headers: inout HTTPHeaders, _ model: inout Model, _ generator: inout SeededGenerator
  ) {
    let name = Self.names[generator.below(Self.names.count)]
    let value = generator.text(upTo: 4)
    switch generator.below(4) {
    case 0:
      headers.add(name, value)
      model.append((name, value))
    case 1:
      headers[name] = value
      let place = model.firstIndex { $0.name.lowercasedASCII == name.lowercasedASCII } ?? model.count
      model.removeAll { $0.name.lowercasedASCII == name.lowercasedASCII }
      model.insert((name, value), at: place)
    case 2:
      headers[name] = nil
      model.removeAll { $0.name.lowercasedASCII == name.lowercasedASCII }
    default:
      headers.merge([name: value, "b": "merged"])
      model.removeAll { [name.lowercasedASCII, "b"].contains($0.name.lowercasedASCII) }
      model += [(name, value), ("b", "merged")]
    }
  }

  private func compareReading(_ headers: HTTPHeaders, _ model: Model, _ name: String) {
    let values = model.filter { $0.name.lowercasedASCII == name.lowercasedASCII }.map(\.value)
    let isSame =
      headers.values(for: name) == values && headers.contains(name) == !values.isEmpty
      && headers[name] == (values.isEmpty ? nil : values.joined(separator: ", "))
    if !isSame { Issue.record("\(name) of \(headers.fields)") }
  }

  @Test("Any bytes can be decoded, and text round-trips through UTF-8")
  func decoding() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<5_000 {
      let bytes = (0..<generator.below(12)).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let decoded = HTTPHeaders.decode(bytes)
      let isUTF8 = decoded.utf8.elementsEqual(bytes)
      let isLatin1 = decoded.unicodeScalars.map(\.value) == bytes.map(UInt32.init)
      if !isUTF8 && !isLatin1 { Issue.record("\(bytes) became \(decoded.debugDescription)") }
      let text = generator.text(upTo: 12)
      if !HTTPHeaders.decode(Array(text.utf8)).utf8.elementsEqual(text.utf8) {
        Issue.record("\(text.debugDescription) did not come back")
      }
    }
  }

  @Test("A problem is found exactly where a name or a value is wrong")
  func problems() {
    var generator = SeededGenerator(seed: 8)
    let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    let tokens = Set("!#$%&'*+-.^_`|~0123456789\(letters)".unicodeScalars)
    for _ in 0..<10_000 {
      let (name, value) = (generator.text(upTo: 4), generator.text(upTo: 6))
      let isFine =
        !name.isEmpty && name.unicodeScalars.allSatisfy(tokens.contains)
        && !value.unicodeScalars.contains { ["\r", "\n", "\0"].contains($0) }
      if (HTTPHeaders([.init(name: name, value: value)]).problem == nil) != isFine {
        Issue.record("\(name.debugDescription): \(value.debugDescription)")
      }
    }
  }
}

extension String {
  /// ASCII letters only.
  fileprivate var lowercasedASCII: String {
    String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
  }
}
