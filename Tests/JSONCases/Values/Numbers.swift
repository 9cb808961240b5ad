import Foundation

/// Optional integers of up to 64 bits.
struct Integers: CaseValue, Shaped {
  var i: Int?, i8: Int8?, i16: Int16?, i32: Int32?, i64: Int64?
  var u: UInt?, u8: UInt8?, u16: UInt16?, u32: UInt32?, u64: UInt64?

  static let shape = Shape.object([
    .may("i", .int), .may("i8", .integer(bits: 8, signed: true)),
    .may("i16", .integer(bits: 16, signed: true)),
    .may("i32", .integer(bits: 32, signed: true)), .may("i64", .integer(bits: 64, signed: true)),
    .may("u", .integer(bits: 64, signed: false)), .may("u8", .integer(bits: 8, signed: false)),
    .may("u16", .integer(bits: 16, signed: false)), .may("u32", .integer(bits: 32, signed: false)),
    .may("u64", .integer(bits: 64, signed: false)),
  ])

  func write(to trace: inout Trace) { trace.add(i, i8, i16, i32, i64, u, u8, u16, u32, u64) }
}

struct RequiredIntegers: CaseValue, Shaped {
  var i: Int, i8: Int8, i16: Int16, i32: Int32, i64: Int64
  var u: UInt, u8: UInt8, u16: UInt16, u32: UInt32, u64: UInt64

  static let shape = Shape.object([
    .needs("i", .int), .needs("i8", .integer(bits: 8, signed: true)),
    .needs("i16", .integer(bits: 16, signed: true)),
    .needs("i32", .integer(bits: 32, signed: true)),
    .needs("i64", .integer(bits: 64, signed: true)),
    .needs("u", .integer(bits: 64, signed: false)), .needs("u8", .integer(bits: 8, signed: false)),
    .needs("u16", .integer(bits: 16, signed: false)),
    .needs("u32", .integer(bits: 32, signed: false)),
    .needs("u64", .integer(bits: 64, signed: false)),
  ])

  func write(to trace: inout Trace) { trace.add(i, i8, i16, i32, i64, u, u8, u16, u32, u64) }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
struct WideIntegers: CaseValue, Shaped {
  var i: Int128, u: UInt128, oi: Int128?, ou: UInt128?, list: [UInt128]

  static let shape = Shape.object([
    .needs("i", .integer(bits: 100, signed: true)), .needs("u", .integer(bits: 100, signed: false)),
    .may("oi", .integer(bits: 100, signed: true)), .may("ou", .integer(bits: 100, signed: false)),
    .needs("list", .array(.integer(bits: 100, signed: false))),
  ])

  func write(to trace: inout Trace) { trace.add(i, u, oi, ou, list) }
}

struct Floats: CaseValue, Shaped {
  var d: Double, f: Float, g: CGFloat, m: Decimal, od: Double?, of: Float?, om: Decimal?, b: Bool,
    ob: Bool?

  static let shape = Shape.object([
    .needs("d", .float), .needs("f", .float), .needs("g", .float), .needs("m", .decimal),
    .may("od", .float),
    .may("of", .float), .may("om", .decimal), .needs("b", .bool), .may("ob", .bool),
  ])

  func write(to trace: inout Trace) { trace.add(d, f, g, m, od, of, om, b, ob) }
}

/// Reads each number as many types.
struct ManyNumbers: CaseValue, Shaped {
  private var trace = Trace()

  static let shape = Shape.array(.either([.float, .int, .verbatim(Samples.numbers)]))

  init(from decoder: any Decoder) throws {
    var elements = try decoder.unkeyedContainer()
    while !elements.isAtEnd { trace.add(try elements.decode(Each.self)) }
  }

  func write(to trace: inout Trace) { trace.add(self.trace) }

  private struct Each: CaseValue {
    private var trace = Trace()

    init(from decoder: any Decoder) throws {
      let number = try decoder.singleValueContainer()
      trace.attempt { try number.decode(Int.self) }
      trace.attempt { try number.decode(Int8.self) }
      trace.attempt { try number.decode(Int16.self) }
      trace.attempt { try number.decode(Int32.self) }
      trace.attempt { try number.decode(Int64.self) }
      trace.attempt { try number.decode(UInt.self) }
      trace.attempt { try number.decode(UInt8.self) }
      trace.attempt { try number.decode(UInt16.self) }
      trace.attempt { try number.decode(UInt32.self) }
      trace.attempt { try number.decode(UInt64.self) }
      if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
        trace.attempt { try number.decode(Int128.self) }
        trace.attempt { try number.decode(UInt128.self) }
      }
      trace.attempt { try number.decode(Double.self) }
      trace.attempt { try number.decode(Float.self) }
      trace.attempt { try number.decode(CGFloat.self) }
      trace.attempt { try number.decode(Decimal.self) }
      trace.attempt { try number.decode(Date.self) }
      trace.attempt { try number.decode(String.self) }
      trace.attempt { try number.decode(Bool.self) }
      trace.attempt { try number.decode([Int].self) }
      trace.add(number.decodeNil())
    }

    func write(to trace: inout Trace) { trace.add(self.trace) }
  }
}

struct NestedOptionals: CaseValue, Shaped {
  let a: Int??, b: [Int??], c: [String: Int?], d: [String]??, e: Bool???, f: [[String?]?]?,
    g: Person??

  static let shape = Shape.object([
    .may("a", .optional(.int)), .needs("b", .array(.optional(.int))),
    .needs("c", .dictionary(.words, .optional(.int))),
    .may("d", .optional(.array(.string))), .may("e", .optional(.bool)),
    .may("f", .array(.optional(.array(.optional(.string))))),
    .may("g", .optional(Person.shape)),
  ])

  func write(to trace: inout Trace) { trace.add(a, b, c, d, e, f, g) }
}
