import Foundation

struct Person: CaseValue, Shaped {
  var id: Int, name: String, aURL: String?, fooBar: Double?, items: [Int]?, nested: Nested?

  struct Nested: CaseValue {
    var x: Int, y: String?, z: [Double]?

    func write(to trace: inout Trace) { trace.add(x, y, z) }
  }

  static let shape: Shape = .object([
    .needs("id", .int), .needs("name", .string), .may("aURL", .string), .may("fooBar", .float),
    .may("items", .array(.small)),
    .may("nested", .object([.needs("x", .small), .may("y", .string), .may("z", .array(.float))])),
  ])

  func write(to trace: inout Trace) { trace.add(id, name, aURL, fooBar, items, nested) }
}

struct Tree: CaseValue, Shaped {
  var name: String, items: [Tree]?, value: Int?

  static let shape: Shape = .object([
    .needs("name", .string), .may("items", .array(.later { shape })), .may("value", .int),
  ])

  func write(to trace: inout Trace) { trace.add(name, items, value) }
}

enum Payload: CaseValue, Shaped {
  case empty
  case one(Int)
  case named(x: String, y: Double?)
  indirect case deeper(Payload, of: [Payload])

  static let shape: Shape = .either([
    .object([.needs("empty", .object([]))]),
    .object([.needs("one", .object([.needs("_0", .int)]))]),
    .object([.needs("named", .object([.needs("x", .string), .may("y", .float)]))]),
    .object([
      .needs(
        "deeper", .object([.needs("_0", .later { shape }), .needs("of", .array(.later { shape }))]))
    ]),
    .verbatim([
      "{}", #"{"zz":{}}"#, #"{"empty":{},"one":{"_0":1}}"#, #"{"empty":null}"#, #"{"empty":1}"#,
      #"{"one":{}}"#,
      #"{"empty":{},"zz":1}"#, #"{"empty":{},"empty":{}}"#, #""empty""#,
    ]),
  ])

  func write(to trace: inout Trace) {
    switch self {
    case .empty: trace.add("empty")
    case .one(let value): trace.add("one", value)
    case .named(let x, let y): trace.add("named", x, y)
    case .deeper(let one, let of): trace.add("deeper", one, of)
    }
  }
}

/// Enums and an option set with raw values of several types.
struct Drawing: CaseValue, Shaped {
  enum Size: Int8, CaseValue {
    case small = 1
    case large = 2
    func write(to trace: inout Trace) { trace.add(rawValue) }
  }
  enum Scale: Double, CaseValue {
    case half = 0.5
    case whole = 1
    func write(to trace: inout Trace) { trace.add(rawValue) }
  }
  struct Style: OptionSet, CaseValue {
    let rawValue: UInt16
    func write(to trace: inout Trace) { trace.add(rawValue) }
  }

  var suit: Suit, size: Size?, scale: Scale?, style: Style?, suits: [Suit], sizes: Set<Int8>?,
    length: Duration?

  static let shape: Shape = .object([
    .needs(
      "suit", .verbatim(["\"clubs\"", "\"hearts\"", "\"clubs\"", "\"spades\"", "\"cl\\u0075bs\""])),
    .may("size", .verbatim(["1", "2", "1.0", "3", "\"1\""])),
    .may("scale", .verbatim(["0.5", "1", "1.0", "5e-1", "2"])),
    .may("style", .integer(bits: 16, signed: false)),
    .needs("suits", .array(.verbatim(["\"clubs\"", "\"hearts\""]))),
    .may("sizes", .array(.small)),
    .may("length", .tuple([.int, .integer(bits: 64, signed: false)])),
  ])

  func write(to trace: inout Trace) {
    trace.add(suit, size, scale, style, suits, sizes)
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
      trace.add(length?.attoseconds)
    }
  }
}

/// Canonically equivalent, long, empty and non-Latin names.
struct Names: CaseValue, Shaped {
  var composed: Int?, angstrom: Int?, empty: Int?, long: Int?, emoji: Int?, digit: Int?,
    under: Int?,
    control: Int?, escaped: Int?

  private enum CodingKeys: String, CodingKey {
    case composed = "é"
    case angstrom = "Å"
    case empty = ""
    case long =
      "a_name_that_is_much_longer_than_all_the_others_so_that_it_takes_a_vector_or_two_to_compare_it"
    case emoji = "😀"
    case digit = "1"
    case under = "_"
    case control = "k\n"
    case escaped = "id\u{0}"
  }

  static let shape: Shape = .object([
    .may("é", .small), .may("e\u{301}", .small), .may("\\u0065\\u0301", .small),
    .may("\u{212B}", .small),
    .may("A\u{30A}", .small),
    .may("", .small), .may(CodingKeys.long.rawValue, .small), .may("\\ud83d\\ude00", .small),
    .may("1", .small), .may("_", .small),
    .may("k\\n", .small), .may("id\\u0000", .small), .may("\\u00e9", .small),
  ])

  func write(to trace: inout Trace) {
    trace.add(composed, angstrom, empty, long, emoji, digit, under, control, escaped)
  }
}

struct Generic<First: CaseValue & Sendable, Second: CaseValue & Sendable>: CaseValue, Shaped {
  var first: First, second: Second?, both: [String: First]?

  static var shape: Shape {
    let one = First.self == Person.self ? Person.shape : .string
    let two: Shape = Second.self == [Int].self ? .array(.int) : .anything
    return .object([
      .needs("first", one), .may("second", two), .may("both", .dictionary(.words, one)),
    ])
  }

  func write(to trace: inout Trace) { trace.add(first, second, both) }
}

/// A model with 25 members, as in a typical response.
struct Letter: CaseValue, Shaped {
  var a: Int, b: Int?, c: String, d: String?, e: Double, f: Double?, g: Bool, h: Bool?, i: [Int],
    j: [String]?, k: Person.Nested?
  var l: UInt8?, m: Int32, n: Float?, o: [Person.Nested], p: String, q: String, r: Int, s: Int,
    t: Double?,
    u: String?, v: Int64?
  var w: [Double]?, x: [[Int]]?, y: [String: String]?

  static let shape: Shape = {
    let inner = Shape.object([.needs("x", .small), .may("y", .string), .may("z", .array(.float))])
    return .object([
      .needs("a", .int), .may("b", .int), .needs("c", .string), .may("d", .string),
      .needs("e", .float),
      .may("f", .float),
      .needs("g", .bool), .may("h", .bool), .needs("i", .array(.int)), .may("j", .array(.string)),
      .may("k", inner),
      .may("l", .integer(bits: 8, signed: false)), .needs("m", .integer(bits: 32, signed: true)),
      .may("n", .float),
      .needs("o", .array(inner)), .needs("p", .string), .needs("q", .string), .needs("r", .small),
      .needs("s", .small),
      .may("t", .float), .may("u", .string), .may("v", .int), .may("w", .array(.float)),
      .may("x", .array(.array(.small))),
      .may("y", .dictionary(.words, .string)),
    ])
  }()

  func write(to trace: inout Trace) {
    trace.add(a, b, c, d, e, f, g, h, i, j, k)
    trace.add(l, m, n, o, p, q, r, s, t, u, v, w, x, y)
  }
}
