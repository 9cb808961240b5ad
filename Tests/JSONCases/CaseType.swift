package import ErrandJSON
package import Foundation

/// A type of the catalogue in type-erased form: the shape of its documents, and its decoding.
package struct CaseType: Sendable {
  package let name: String
  let shape: Shape
  package let decode: @Sendable (JSONCoding, Data) -> Outcome
  package let decodeByFoundation: @Sendable (JSONDecoder, Data) -> Outcome

  init<Value: CaseValue & SendableMetatype>(_ type: Value.Type, _ shape: Shape) {
    name = String(reflecting: type)
    self.shape = shape
    decode = { coding, data in Outcome { try coding.decode(Value.self, from: data) } }
    decodeByFoundation = { decoder, data in Outcome { try decoder.decode(Value.self, from: data) } }
  }

  /// Creates the entry of a type that declares its own shape.
  init<Value: CaseValue & Shaped & SendableMetatype>(_ type: Value.Type) {
    self.init(type, type.shape)
  }

  package static let all: [CaseType] =
    fragments + numbers + structures + dictionaries + byHand + strategies

  /// Returns the type with a full name.
  package static func named(_ name: String) -> CaseType? { all.first { $0.name == name } }

  /// A type with few members.
  package static let person = CaseType(Person.self)

  /// Returns a type that reads all levels of a document of a kind.
  package static func levels(of kind: DepthDocument.Kind) -> CaseType {
    switch kind {
    case .arrays: CaseType(ArrayLevels.self, .anything)
    case .objects: CaseType(ObjectLevels.self, .anything)
    case .alternating: CaseType(AlternatingLevels.self, .anything)
    }
  }
}

/// A type that declares the shape of its documents.
protocol Shaped {
  static var shape: Shape { get }
}

extension CaseType {
  /// Top-level values.
  private static let fragments: [CaseType] = [
    .init(Int.self, .int), .init(UInt64.self, .integer(bits: 64, signed: false)),
    .init(Int8.self, .small),
    .init(Double.self, .float), .init(Float.self, .float), .init(CGFloat.self, .float),
    .init(Bool.self, .bool),
    .init(String.self, .string), .init(Decimal.self, .decimal), .init(Date.self, .date),
    .init(Data.self, .bytes),
    .init(URL.self, .url), .init(Int?.self, .optional(.int)), .init(Int??.self, .optional(.int)),
    .init(String?.self, .optional(.string)), .init([Int].self, .array(.int)),
    .init([Int?].self, .array(.optional(.int))),
    .init([Int??]?.self, .optional(.array(.optional(.int)))), .init([String].self, .array(.string)),
    .init([Bool].self, .array(.bool)),
    .init([UInt8].self, .array(.integer(bits: 8, signed: false))),
    .init([Double].self, .array(.float)), .init([Float].self, .array(.float)),
    .init([[Double]].self, .array(.array(.float))),
    .init([[String?]].self, .array(.array(.optional(.string)))),
    .init(Set<Int>.self, .array(.small)),
    .init(Set<String>.self, .array(.string)), .init(Range<Int>.self, .tuple([.small, .small])),
    .init(ClosedRange<Double>.self, .tuple([.float, .float])),
    .init(
      [UUID].self,
      .array(.verbatim(["\"6BA7B810-9DAD-11D1-80B4-00C04FD430C8\"", "\"x\"", "null", "1"]))),
    .init([Date].self, .array(.date)), .init([Date?].self, .array(.optional(.date))),
    .init([Data].self, .array(.bytes)),
    .init([URL].self, .array(.url)), .init([Decimal].self, .array(.decimal)),
  ]

  private static let numbers: [CaseType] = {
    var types: [CaseType] = [
      .init(Integers.self), .init(RequiredIntegers.self), .init(Floats.self),
      .init(ManyNumbers.self),
      .init(NestedOptionals.self),
    ]
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
      types.append(.init(WideIntegers.self))
      types.append(.init([Int128].self, .array(.integer(bits: 100, signed: true))))
    }
    return types
  }()

  private static let structures: [CaseType] = [
    .init(Person.self), .init([Person].self, .array(Person.shape)), .init(Tree.self),
    .init(Payload.self),
    .init([Payload].self, .array(Payload.shape)), .init(Drawing.self), .init(Dog.self),
    .init(Puppy.self),
    .init([Cat].self, .array(Cat.shape)), .init(Names.self), .init(Wrapped.self),
    .init(Lossy<Person>.self, .array(Person.shape)),
    .init(Lossy<Int>.self, .array(.either([.int, .int, .anything]))),
    .init(Anything.self, .anything),
    .init([Anything].self, .array(.anything)), .init(Impatient.self, .anything),
    .init(Generic<Person, [Int]>.self),
    .init(Generic<String?, Anything>.self), .init(Letter.self),
  ]

  private static let dictionaries: [CaseType] = [
    .init([String: Int].self, .dictionary(.words, .small)),
    .init([String: Int?].self, .dictionary(.words, .optional(.small))),
    .init([String: Person].self, .dictionary(.words, Person.shape)),
    .init([String: [String: Double]].self, .dictionary(.words, .dictionary(.words, .float))),
    .init(
      [String: [String: [Int: Bool]]]?.self,
      .dictionary(.words, .dictionary(.words, .dictionary(.integers, .bool)))),
    .init([Int: String].self, .dictionary(.integers, .string)),
    .init([Int: [Int: Int]].self, .dictionary(.integers, .dictionary(.integers, .int))),
    .init([ColorKey: Int].self, .dictionary(.colors, .small)),
    .init([ShortKey: Names].self, .dictionary(.words, Names.shape)),
    .init([Suit: Int].self, .tuple([.verbatim(["\"clubs\"", "\"hearts\""]), .small])),
    .init([Int8: Bool].self, .tuple([.small, .bool, .small, .bool])),
    .init([String: Date].self, .dictionary(.words, .date)),
    .init([String: [Date]].self, .dictionary(.words, .array(.date))),
    .init([String: Data].self, .dictionary(.words, .bytes)),
    .init([String: URL?].self, .dictionary(.words, .optional(.url))),
    .init([String: Anything].self, .dictionary(.words, .anything)),
    .init([String: Payload].self, .dictionary(.words, Payload.shape)), .init(Dictionaries.self),
    .init(Ordered.self),
  ]

  private static let byHand: [CaseType] = [
    .init(Probe.self), .init([Probe].self, .array(Probe.shape)),
    .init([String: Probe].self, .dictionary(.words, Probe.shape)),
    .init(Paths.self), .init(Elements.self), .init(Twice.self), .init(Backwards.self),
    .init(Kept.self),
    .init(KeptElements.self),
    .init(Informed.self), .init(Supers.self),
  ]

  private static let strategies: [CaseType] = [
    .init(Dates.self), .init(Bytes.self), .init(Links.self), .init(Money.self),
    .init([Dates].self, .array(Dates.shape)), .init(Everything.self),
  ]
}
