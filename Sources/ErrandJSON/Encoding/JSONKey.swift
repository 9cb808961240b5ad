/// A key of the coder's own: an index, a key of a dictionary, `super`.
struct JSONKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) { self.init(stringValue: stringValue, intValue: nil) }

  init(intValue: Int) { self.init(stringValue: String(intValue), intValue: intValue) }

  private init(stringValue: String, intValue: Int?) {
    self.stringValue = stringValue
    self.intValue = intValue
  }

  static let `super` = JSONKey(stringValue: "super")

  /// A key of a dictionary as the standard library has it: with a number if it reads as one.
  init(ofDictionary key: String) { self.init(stringValue: key, intValue: Int(key)) }
}

/// The place of an element, as a key.
struct JSONIndexKey: CodingKey {
  let index: Int

  init(_ index: Int) { self.index = index }
  init?(stringValue: String) { nil }
  init?(intValue: Int) { index = intValue }

  var stringValue: String { "Index \(index)" }
  var intValue: Int? { index }
}

/// No key: of a value that stands for the one around it, or is the outermost.
///
/// It is a type of its own, as an optional one of a type that is known only when the program runs costs a look-up of that type.
struct JSONNoKey: CodingKey {
  init() {}
  init?(stringValue: String) { nil }
  init?(intValue: Int) { nil }

  var stringValue: String { "" }
  var intValue: Int? { nil }
}
