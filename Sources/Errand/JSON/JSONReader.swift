import Foundation

/// What decodes foreign JSON: typed responses, files and reports pass here, so that depth is judged in one place.
struct JSONReader: Sendable {
  let decoder: JSONDecoder
  let dropsNulls: Bool

  init(_ coding: JSONCoding) {
    self.init(decoder: coding.makeDecoder(), dropsNulls: coding.dropsNulls)
  }

  init(decoder: JSONDecoder, dropsNulls: Bool) {
    self.decoder = decoder
    self.dropsNulls = dropsNulls
  }

  func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, from data: Data, at keyPath: JSONKeyPath? = nil
  ) throws -> Value {
    // Foundation reads JSON5 by another reader, which refuses what is nested too deep.
    if !decoder.allowsJSON5 { try JSONDepth.check(data) }
    let isUntyped = keyPath == nil && (Value.self == JSONValue.self || Value.self == JSONValue?.self)
    guard isUntyped || dropsNulls else { return try decode(type, from: data, through: keyPath) }
    var value = try value(of: data)
    if dropsNulls { value = value.droppingNulls() }
    if isUntyped {
      // Not `nil`, which may be a JSONValue as well.
      let present: JSONValue? = Value.self == JSONValue?.self && value.isNull ? .none : .some(value)
      if let present = present as? Value { return present }
    }
    return try decode(type, from: Data(try value.text().utf8), through: keyPath)
  }

  private func decode<Value: Decodable>(
    _ type: Value.Type, from data: Data, through keyPath: JSONKeyPath?
  ) throws -> Value {
    try keyPath?.decode(type, from: data, by: decoder) ?? decoder.decode(type, from: data)
  }

  /// The tree with every digit, which a decoder does not give; where only the decoder can read the text, what it gives.
  private func value(of data: Data) throws -> JSONValue {
    guard decoder.isPlain, !decoder.allowsJSON5, !decoder.assumesTopLevelDictionary else {
      return try decoder.decode(JSONValue.self, from: data)
    }
    do {
      return try JSONParser.parse(data)
    } catch {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "the body is not JSON: \(error.reason)"))
    }
  }
}

/// A way into a JSON text, walked while it is decoded, so that it is parsed once.
struct JSONKeyPath: Sendable {
  /// What is thrown where it leads to nothing.
  struct Missing: Error {
    /// What is not there, as a clause.
    let reason: String
  }

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
        throw Missing(reason: "there is no \"\(part)\" in \(parent)")
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

/// Finds the way of a decoder in the JSON it read, whose names may be written otherwise than the decoder's keys.
enum JSONSpelling {
  /// The value that stands there; `nil` when nothing does.
  static func value(at path: [any CodingKey], in root: JSONValue) -> JSONValue? {
    var place = root
    for key in path {
      switch place {
      case .object(let members):
        let other = members[key.stringValue] == nil ? name(like: key.stringValue, in: members) : nil
        guard let member = members[other ?? key.stringValue] else { return nil }
        place = member
      case .array(let elements):
        guard let index = key.intValue, elements.indices.contains(index) else { return nil }
        place = elements[index]
      default: return nil
      }
    }
    return place
  }

  /// The name of a member that has the same letters and digits as `name`, whatever their case and what is between them;
  /// of several the first in the alphabet.
  static func name(like name: String, in members: [String: JSONValue]) -> String? {
    let letters = letters(of: name)
    return members.keys.filter { $0 != name && self.letters(of: $0) == letters }.min()
  }

  private static func letters(of name: String) -> String {
    name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " }
  }
}
