/// A key of any text; its number is read from it.
struct TextKey: CodingKey, Hashable, Sendable {
  let stringValue: String
  var intValue: Int? { Int(stringValue) }

  init(_ text: String) { stringValue = text }
  init(stringValue: String) { self.init(stringValue) }
  init(intValue: Int) { self.init("\(intValue)") }
}

/// A key that is a number and nothing else, with a text of its own.
struct NumberKey: CodingKey, Hashable, Sendable {
  let number: Int
  var stringValue: String { "\(number)" }
  var intValue: Int? { number }

  init?(stringValue: String) {
    guard let number = Int(stringValue) else { return nil }
    self.number = number
  }
  init(intValue: Int) { number = intValue }
}

/// Some of the names that documents have.
enum NameKey: String, CodingKey, CaseIterable, Sendable, Hashable {
  case id, name, items, fooBar, aURL, nested
  case accent = "é"
}

/// A key of a dictionary of at most eight bytes.
struct ShortKey: CodingKeyRepresentable, Hashable, Decodable, Traceable, Sendable {
  let text: String

  var codingKey: any CodingKey { TextKey(text) }
  init?(codingKey: some CodingKey) {
    guard codingKey.stringValue.utf8.count <= 8 else { return nil }
    text = codingKey.stringValue
  }

  func write(to trace: inout Trace) { trace.add(text) }
}

/// A key of a dictionary that is one of three names.
enum ColorKey: String, CodingKeyRepresentable, Hashable, Decodable, Traceable, CaseIterable,
  Sendable
{
  case red, green, deepBlue

  func write(to trace: inout Trace) { trace.add(rawValue) }
}

/// One that is no key of an object: its dictionaries are arrays of keys and values.
enum Suit: String, Hashable, Decodable, Traceable, CaseIterable, Sendable {
  case clubs, hearts

  func write(to trace: inout Trace) { trace.add(rawValue) }
}
