import Foundation

struct Dictionaries: CaseValue, Shaped {
  var words: [String: Int], numbers: [Int: String]?, colors: [ColorKey: Double]?,
    short: [ShortKey: Int]?
  var deep: [String: [String: [String: Int]]]?, people: [String: Person]?,
    dates: [String: [String: Date]]?

  static let shape = Shape.object([
    .needs("words", .dictionary(.words, .small)), .may("numbers", .dictionary(.integers, .string)),
    .may("colors", .dictionary(.colors, .float)), .may("short", .dictionary(.words, .small)),
    .may("deep", .dictionary(.words, .dictionary(.words, .dictionary(.words, .small)))),
    .may("people", .dictionary(.words, Person.shape)),
    .may("dates", .dictionary(.words, .dictionary(.words, .date))),
  ])

  func write(to trace: inout Trace) {
    trace.add(words, numbers, colors, short, deep, people, dates)
  }
}

/// Members read one by one, sorted by name.
struct Ordered: CaseValue, Shaped {
  private let pairs: [Pair]

  private struct Pair: Traceable {
    let name: String
    let value: Anything

    func write(to trace: inout Trace) { trace.add(name, value) }
  }

  static let shape = Shape.dictionary(.words, .anything)

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: TextKey.self)
    pairs = try container.allKeys.sorted { $0.stringValue < $1.stringValue }
      .map { Pair(name: $0.stringValue, value: try container.decode(Anything.self, forKey: $0)) }
  }

  func write(to trace: inout Trace) { trace.add(pairs) }
}

/// Decodes any value with attempts of several types.
package indirect enum Anything: CaseValue {
  case null
  case bool(Bool)
  case int(Int)
  case double(Double)
  case string(String)
  case array([Anything])
  case object([String: Anything], names: [String])

  package init(from decoder: any Decoder) throws {
    let single = try decoder.singleValueContainer()
    if single.decodeNil() {
      self = .null
    } else if let bool = try? single.decode(Bool.self) {
      self = .bool(bool)
    } else if let int = try? single.decode(Int.self) {
      self = .int(int)
    } else if let double = try? single.decode(Double.self) {
      self = .double(double)
    } else if let string = try? single.decode(String.self) {
      self = .string(string)
    } else if var elements = try? decoder.unkeyedContainer() {
      var array: [Anything] = []
      while !elements.isAtEnd { array.append(try elements.decode(Anything.self)) }
      self = .array(array)
    } else {
      let names = try decoder.container(keyedBy: TextKey.self).allKeys.map(\.stringValue).sorted()
      self = .object(try single.decode([String: Anything].self), names: names)
    }
  }

  package func write(to trace: inout Trace) {
    switch self {
    case .null: trace.add("null")
    case .bool(let bool): trace.add(bool)
    case .int(let int): trace.add(int)
    case .double(let double): trace.add(double)
    case .string(let string): trace.add(string)
    case .array(let array): trace.add(array)
    case .object(let object, let names): trace.add(object, names)
    }
  }
}

/// Tries whole arrays and objects first, so failing values are decoded twice.
indirect enum Impatient: CaseValue {
  case object([String: Impatient])
  case array([Impatient])
  case string(String)
  case number(Decimal)
  case bool(Bool)
  case none

  init(from decoder: any Decoder) throws {
    let single = try decoder.singleValueContainer()
    if let object = try? single.decode([String: Impatient].self) {
      self = .object(object)
    } else if let array = try? [Impatient](from: decoder) {
      self = .array(array)
    } else if let string = try? single.decode(String?.self) {
      self = .string(string)
    } else if let number = try? single.decode(Decimal.self) {
      self = .number(number)
    } else if let bool = try? Bool(from: decoder) {
      self = .bool(bool)
    } else if single.decodeNil() {
      self = .none
    } else {
      throw CaseError.refused("none of all")
    }
  }

  func write(to trace: inout Trace) {
    switch self {
    case .object(let object): trace.add(object)
    case .array(let array): trace.add(array)
    case .string(let string): trace.add(string)
    case .number(let number): trace.add(number)
    case .bool(let bool): trace.add(bool)
    case .none: trace.add("none")
    }
  }
}
