import Foundation

/// A path to a value, such as `data.items.0`.
package struct JSONKeyPath: Sendable {
  package struct Missing: Error {
    package let reason: String
  }

  /// Task-local, because concurrent decodings may share a decoder and the `userInfo` of the decoder.
  @TaskLocal fileprivate static var current = JSONKeyPath("")

  let parts: [String]

  package init(_ text: String) {
    parts = text.split(separator: ".").map(String.init)
  }

  func decode<Value: Decodable>(
    _ type: Value.Type, by decode: (Located<Value>.Type) throws -> Located<Value>
  ) throws -> Value {
    try Self.$current.withValue(self) { try decode(Located<Value>.self).value }
  }

  fileprivate func walk(from root: any Decoder) throws -> any Decoder {
    var place = root
    for (index, part) in parts.enumerated() {
      guard let inner = try Self.step(into: place, part) else {
        let parent = index == 0 ? "the body" : "\"\(parts[..<index].joined(separator: "."))\""
        throw Missing(reason: "there is no \"\(part)\" in \(parent)")
      }
      place = inner
    }
    return place
  }

  private static func step(into decoder: any Decoder, _ part: String) throws -> (any Decoder)? {
    if let members = try? decoder.container(keyedBy: NameKey.self) {
      let names = [part, DecodingSettings.camelCased(part)].map(NameKey.init(_:))
      return try names.first(where: members.contains).map { try members.superDecoder(forKey: $0) }
    }
    guard let index = Int(part), var elements = try? decoder.unkeyedContainer() else { return nil }
    while !elements.isAtEnd {
      if elements.currentIndex == index { return try elements.superDecoder() }
      _ = try elements.decode(Anything.self)
    }
    return nil
  }
}

struct Located<Value: Decodable>: Decodable {
  let value: Value

  init(from decoder: any Decoder) throws {
    value = try JSONKeyPath.current.walk(from: decoder).singleValueContainer().decode(Value.self)
  }
}

private struct Anything: Decodable {
  init(from decoder: any Decoder) {}
}
