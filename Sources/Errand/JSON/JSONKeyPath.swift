import Foundation

/// A way into a JSON text, walked while it is decoded, so that it is parsed once.
struct JSONKeyPath: Sendable {
  /// Handed over task-locally: a decoder's `userInfo` is the only other way into `init(from:)`, and the decoder is
  /// shared, so it must not be changed.
  @TaskLocal fileprivate static var current = JSONKeyPath("")

  let parts: [String]

  init(_ text: String) {
    parts = text.split(separator: ".").map(String.init)
  }

  func decode<Value: Decodable>(
    _ type: Value.Type, from data: Data, by decoder: JSONDecoder
  ) throws -> Value {
    try Self.$current.withValue(self) { try decoder.decode(Located<Value>.self, from: data).value }
  }

  /// The decoder of what is at the path.
  fileprivate func walk(from root: any Decoder) throws -> any Decoder {
    var place = root
    for (index, part) in parts.enumerated() {
      guard let inner = try Self.step(into: place, part) else {
        let parent = index == 0 ? "the body" : "\"\(parts[..<index].joined(separator: "."))\""
        throw Refusal("there is no \"\(part)\" in \(parent)", kind: .decoding)
      }
      place = inner
    }
    return place
  }

  private static func step(into decoder: any Decoder, _ part: String) throws -> (any Decoder)? {
    if let members = try? decoder.container(keyedBy: Name.self) {
      let names = [part, camelCased(part)].map(Name.init)
      return try names.first(where: members.contains).map { try members.superDecoder(forKey: $0) }
    }
    guard let index = Int(part), var elements = try? decoder.unkeyedContainer() else { return nil }
    while !elements.isAtEnd {
      if elements.currentIndex == index { return try elements.superDecoder() }
      _ = try elements.decode(Anything.self)
    }
    return nil
  }

  /// `user_items` as `convertFromSnakeCase` gives it: such a decoder hides the names that the server wrote.
  ///
  /// As in Foundation, underscores at both ends stay, and so does a single word.
  static func camelCased(_ name: String) -> String {
    let words = name.split(separator: "_")
    guard let first = words.first, let last = words.last, words.count > 1 else { return name }
    let joined = first.lowercased() + words.dropFirst().map { $0.capitalized }.joined()
    return name[..<first.startIndex] + joined + name[last.endIndex...]
  }
}

/// The value at ``JSONKeyPath/current``.
private struct Located<Value: Decodable>: Decodable {
  let value: Value

  init(from decoder: any Decoder) throws {
    value = try JSONKeyPath.current.walk(from: decoder).singleValueContainer().decode(Value.self)
  }
}

/// An element that is passed by.
private struct Anything: Decodable {
  init(from decoder: any Decoder) {}
}

private struct Name: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
