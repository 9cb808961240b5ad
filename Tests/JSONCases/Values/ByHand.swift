import Foundation

/// Records coding paths everywhere.
struct Paths: CaseValue, Shaped {
  private var trace = Trace()

  static let shape = Shape.object([
    .needs("nested", .object([.needs("x", .array(.object([.may("y", .int), .may("1", .int)])))])),
    .may("items", .array(.array(.small))),
  ])

  init(from decoder: any Decoder) throws {
    trace.path(decoder.codingPath)
    let container = try decoder.container(keyedBy: TextKey.self)
    trace.path(container.codingPath)
    let nested = try container.nestedContainer(keyedBy: NameOrX.self, forKey: TextKey("nested"))
    trace.path(nested.codingPath)
    var list = try nested.nestedUnkeyedContainer(forKey: .x)
    trace.path(list.codingPath)
    while !list.isAtEnd {
      let element = try list.nestedContainer(keyedBy: TextKey.self)
      trace.path(element.codingPath)
      trace.add(try element.decodeIfPresent(Int.self, forKey: TextKey("y")))
      trace.attempt { try element.decode(Leaf.self, forKey: TextKey(intValue: 1)) }
      trace.path(list.codingPath)
    }
    trace.attempt { try container.decode([[Leaf]].self, forKey: TextKey("items")) }
    trace.path(decoder.codingPath)
  }

  func write(to trace: inout Trace) { trace.add(self.trace) }

  private enum NameOrX: String, CodingKey { case name, x }

  private struct Leaf: CaseValue {
    let path: [PathElement]
    let inner: [PathElement]

    init(from decoder: any Decoder) throws {
      path = decoder.codingPath.map(PathElement.init)
      inner = try decoder.singleValueContainer().codingPath.map(PathElement.init)
      _ = try decoder.singleValueContainer().decode(Int.self)
    }

    func write(to trace: inout Trace) { trace.add(path, inner) }
  }
}

/// Reads an unkeyed container past its end, and in ways that may not advance.
struct Elements: CaseValue, Shaped {
  private var trace = Trace()

  static let shape = Shape.array(
    .either([.int, .string, .anything, .array(.small), .object([.may("x", .int)])]))

  init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    trace.add(list.count, list.isAtEnd, list.currentIndex)
    while !list.isAtEnd {
      trace.attempt { try list.decode(Int.self) }
      trace.add(list.currentIndex)
      if list.isAtEnd { break }
      trace.attempt { try list.decode(String.self) }
      trace.add(list.currentIndex)
      if list.isAtEnd { break }
      trace.attempt { try list.decodeNil() }
      if list.isAtEnd { break }
      trace.attempt { try list.nestedUnkeyedContainer().count }
      if list.isAtEnd { break }
      trace.attempt { try list.nestedContainer(keyedBy: TextKey.self).allKeys.count }
      if list.isAtEnd { break }
      trace.attempt { try list.decodeIfPresent(Double.self) }
      if list.isAtEnd { break }
      trace.add(try list.decode(Anything.self))
      trace.add(list.currentIndex)
    }
    pastTheEnd(&list)
  }

  private mutating func pastTheEnd(_ list: inout any UnkeyedDecodingContainer) {
    trace.attempt { try list.decode(Int.self) }
    trace.attempt { try list.decode(Int?.self) }
    trace.attempt { try list.decodeNil() }
    trace.attempt { try list.decode([String].self) }
    trace.attempt { try list.nestedUnkeyedContainer().count }
    trace.attempt { try list.nestedContainer(keyedBy: TextKey.self).allKeys.count }
    trace.attempt { try list.superDecoder().codingPath.count }
    trace.attempt { try list.decodeIfPresent(Int.self) }
    trace.attempt { try list.decodeIfPresent(Bool.self) }
    trace.attempt { try list.decodeIfPresent(Person.self) }
    trace.attempt { try list.decode(Bool.self) }
    trace.add(list.currentIndex, list.isAtEnd)
    trace.path(list.codingPath)
  }

  func write(to trace: inout Trace) { trace.add(self.trace) }
}

/// Reads several containers of one decoder, and members twice.
struct Twice: CaseValue, Shaped {
  private var trace = Trace()

  static let shape = Person.shape

  init(from decoder: any Decoder) throws {
    let texts = try decoder.container(keyedBy: TextKey.self)
    let names = try decoder.container(keyedBy: NameKey.self)
    let numbers = try decoder.container(keyedBy: NumberKey.self)
    trace.sorted(texts.allKeys.map(\.stringValue))
    trace.sorted(names.allKeys.map(\.stringValue))
    trace.sorted(numbers.allKeys.map(\.number))
    for _ in 0..<2 {
      trace.attempt { try names.decode(Int.self, forKey: .id) }
      trace.attempt { try texts.decode(String.self, forKey: TextKey("name")) }
      trace.attempt { try names.decodeIfPresent([Int].self, forKey: .items) }
      trace.attempt { try texts.decodeIfPresent(Anything.self, forKey: TextKey("items")) }
      trace.attempt { try names.decodeNil(forKey: .fooBar) }
      trace.add(
        names.contains(.accent), names.contains(.nested), numbers.contains(NumberKey(intValue: 1)))
    }
    trace.attempt { try Person(from: decoder) }
    trace.attempt { try decoder.unkeyedContainer().count }
    trace.attempt { try decoder.singleValueContainer().decode([String: Anything].self) }
  }

  func write(to trace: inout Trace) { trace.add(self.trace) }
}

/// Reads members from the last to the first.
struct Backwards: CaseValue, Shaped {
  private let letter: [String: Anything?]
  private let person: Person.Nested?

  static let shape = Letter.shape

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: TextKey.self)
    var letter: [String: Anything?] = [:]
    for name in "yxwvutsrqponmlkjihgfedcba" {
      letter[String(name)] = try container.decodeIfPresent(
        Anything.self, forKey: TextKey(String(name)))
    }
    self.letter = letter
    person = try container.decodeIfPresent(Person.Nested.self, forKey: TextKey("k"))
  }

  func write(to trace: inout Trace) { trace.add(letter, person) }
}

/// Reads `userInfo` at several levels.
struct Informed: CaseValue, Shaped {
  let here: UInt64?, there: [UInt64?], deep: UInt64?

  static let shape = Shape.object([.needs("items", .array(.anything)), .may("super", .anything)])

  init(from decoder: any Decoder) throws {
    here = decoder.userInfo[.program] as? UInt64
    let container = try decoder.container(keyedBy: TextKey.self)
    there = try container.decode([Inner].self, forKey: TextKey("items")).map(\.program)
    deep = try container.superDecoder().userInfo[.program] as? UInt64
  }

  func write(to trace: inout Trace) { trace.add(here, there, deep) }

  private struct Inner: Decodable {
    let program: UInt64?
    init(from decoder: any Decoder) { program = decoder.userInfo[.program] as? UInt64 }
  }
}
