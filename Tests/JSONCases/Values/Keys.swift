/// A key with any text, whose number is parsed from the text.
struct TextKey: CodingKey, Hashable, Sendable {
  let stringValue: String
  var intValue: Int? { Int(stringValue) }

  init(_ text: String) { stringValue = text }
  init(stringValue: String) { self.init(stringValue) }
  init(intValue: Int) { self.init("\(intValue)") }
}

/// A key with only a number.
///
/// The text is made of the number.
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

/// Some names of the documents.
enum NameKey: String, CodingKey, CaseIterable, Sendable, Hashable {
  case id, name, items, fooBar, aURL, nested
  case accent = "é"
}

/// A dictionary key of at most eight bytes.
struct ShortKey: CodingKeyRepresentable, Hashable, Decodable, Traceable, Sendable {
  let text: String

  var codingKey: any CodingKey { TextKey(text) }
  init?(codingKey: some CodingKey) {
    guard codingKey.stringValue.utf8.count <= 8 else { return nil }
    text = codingKey.stringValue
  }

  func write(to trace: inout Trace) { trace.add(text) }
}

/// A dictionary key with three cases.
enum ColorKey: String, CodingKeyRepresentable, Hashable, Decodable, Traceable, CaseIterable,
  Sendable
{
  case red, green, deepBlue

  func write(to trace: inout Trace) { trace.add(rawValue) }
}

/// A type that is no object key, so dictionaries are arrays of keys and values.
enum Suit: String, Hashable, Decodable, Traceable, CaseIterable, Sendable {
  case clubs, hearts

  func write(to trace: inout Trace) { trace.add(rawValue) }
}
