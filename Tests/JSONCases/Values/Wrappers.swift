import Foundation

/// The default of a missing or null member.
protocol DefaultSource: Sendable {
  associatedtype Value: CaseValue & Sendable
  static var value: Value { get }
}

enum Zero: DefaultSource { static let value = 0 }
enum Nothing: DefaultSource { static let value: [String] = [] }

@propertyWrapper
struct Default<Source: DefaultSource>: CaseValue {
  var wrappedValue: Source.Value

  init(wrappedValue: Source.Value = Source.value) { self.wrappedValue = wrappedValue }
  init(from decoder: any Decoder) throws { wrappedValue = try Source.Value(from: decoder) }

  func write(to trace: inout Trace) { trace.add(wrappedValue) }
}

/// A member that is nil if decoding the value fails.
@propertyWrapper
struct Attempted<Value: CaseValue & Sendable>: CaseValue {
  var wrappedValue: Value?

  init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }
  init(from decoder: any Decoder) throws {
    wrappedValue = try? decoder.singleValueContainer().decode(Value.self)
  }

  func write(to trace: inout Trace) { trace.add(wrappedValue) }
}

/// A number that may be written as text.
@propertyWrapper
struct Lenient: CaseValue {
  var wrappedValue: Int

  init(wrappedValue: Int) { self.wrappedValue = wrappedValue }
  init(from decoder: any Decoder) throws {
    let single = try decoder.singleValueContainer()
    do {
      wrappedValue = try single.decode(Int.self)
    } catch DecodingError.typeMismatch {
      guard let number = Int(try single.decode(String.self)) else {
        throw CaseError.refused("no number")
      }
      wrappedValue = number
    }
  }

  func write(to trace: inout Trace) { trace.add(wrappedValue) }
}

extension KeyedDecodingContainer {
  // The compiler calls these overloads for members with the wrappers.
  func decode<Source>(_: Default<Source>.Type, forKey key: Key) throws -> Default<Source> {
    try decodeIfPresent(Default<Source>.self, forKey: key) ?? Default()
  }
  func decode<Value>(_: Attempted<Value>.Type, forKey key: Key) throws -> Attempted<Value> {
    (try? decodeIfPresent(Attempted<Value>.self, forKey: key)) ?? Attempted(wrappedValue: nil)
  }
}

struct Wrapped: CaseValue, Shaped {
  @Default<Zero> var id: Int
  @Default<Nothing> var items: [String]
  @Attempted var value: Double?
  @Attempted var nested: Person?
  @Lenient var x: Int
  var lossy: Lossy<Int>?

  static let shape = Shape.object([
    .may("id", .optional(.int)), .may("items", .optional(.array(.string))),
    .may("value", .either([.float, .string])),
    .may("nested", .either([Person.shape, .anything])),
    .needs("x", .either([.small, .verbatim(["\"12\"", "\"x\"", "1.5"])])),
    .may("lossy", .array(.either([.int, .anything]))),
  ])

  func write(to trace: inout Trace) { trace.add(id, items, value, nested, x, lossy) }
}

/// An array that skips failing elements.
struct Lossy<Element: CaseValue>: CaseValue {
  let elements: [Element]
  let skipped: [Int]

  private struct Skipped: Decodable {
    init(from _: any Decoder) {}
  }

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    var (elements, skipped): ([Element], [Int]) = ([], [])
    while !container.isAtEnd {
      if let element = try? container.decode(Element.self) {
        elements.append(element)
      } else {
        // A failed decoding does not advance, so the element is skipped.
        skipped.append(container.currentIndex)
        _ = try container.decode(Skipped.self)
      }
    }
    (self.elements, self.skipped) = (elements, skipped)
  }

  func write(to trace: inout Trace) { trace.add(elements, skipped) }
}
