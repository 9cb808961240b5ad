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

  /// Creates the key of a dictionary member.
  ///
  /// As in the standard library, the text of an `Int` also gives `intValue`.
  init(ofDictionary key: String) { self.init(stringValue: key, intValue: Int(key)) }
}

struct JSONIndexKey: CodingKey {
  let index: Int

  init(_ index: Int) { self.index = index }
  init?(stringValue: String) { nil }
  init?(intValue: Int) { index = intValue }

  var stringValue: String { "Index \(index)" }
  var intValue: Int? { index }
}

struct JSONNoKey: CodingKey {
  init() {}
  init?(stringValue: String) { nil }
  init?(intValue: Int) { nil }

  var stringValue: String { "" }
  var intValue: Int? { nil }
}
