import Foundation

/// The superclass of classes that call `super.init(from:)` in several ways.
class Animal: CaseValue {
  let id: Int
  let name: String?

  private enum CodingKeys: String, CodingKey { case id, name }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(Int.self, forKey: .id)
    name = try container.decodeIfPresent(String.self, forKey: .name)
  }

  func write(to trace: inout Trace) { trace.add(id, name) }

  static let members: [Shape.Member] = [.needs("id", .int), .may("name", .string)]
}

/// Uses `superDecoder()`.
class Dog: Animal, Shaped {
  let tricks: [String]
  let path: [PathElement]

  private enum CodingKeys: String, CodingKey { case tricks }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    tricks = try container.decodeIfPresent([String].self, forKey: .tricks) ?? []
    let inherited = try container.superDecoder()
    path = inherited.codingPath.map(PathElement.init)
    try super.init(from: inherited)
  }

  override func write(to trace: inout Trace) {
    super.write(to: &trace)
    trace.add(tricks, path)
  }

  class var shape: Shape {
    .object([.may("tricks", .array(.string)), .needs("super", .object(members))])
  }
}

/// Passes the same decoder to a superclass with a super decoder.
final class Puppy: Dog {
  let weeks: Int

  private enum CodingKeys: String, CodingKey { case weeks }

  required init(from decoder: any Decoder) throws {
    weeks = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .weeks)
    try super.init(from: decoder)
  }

  override func write(to trace: inout Trace) {
    super.write(to: &trace)
    trace.add(weeks)
  }

  override class var shape: Shape {
    .object([
      .needs("weeks", .small), .may("tricks", .array(.string)), .needs("super", .object(members)),
    ])
  }
}

/// Uses `superDecoder(forKey:)`, and has kittens.
final class Cat: Animal, Shaped {
  let kittens: [Cat]

  private enum CodingKeys: String, CodingKey { case kittens, parent }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    kittens = try container.decodeIfPresent([Cat].self, forKey: .kittens) ?? []
    try super.init(from: try container.superDecoder(forKey: .parent))
  }

  override func write(to trace: inout Trace) {
    super.write(to: &trace)
    trace.add(kittens)
  }

  static var shape: Shape {
    .object([.may("kittens", .array(.later { Self.shape })), .needs("parent", .object(members))])
  }
}

/// Reads values from super decoders of keyed and unkeyed containers.
struct Supers: CaseValue, Shaped {
  private var trace = Trace()

  static let shape = Shape.object([
    .may("super", .either([.object(Animal.members), .anything])), .may("parent", .anything),
    .may("items", .array(.either([.object(Animal.members), .anything]))),
  ])

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: TextKey.self)
    ask(try container.superDecoder())
    ask(try container.superDecoder(forKey: TextKey("parent")))
    ask(try container.superDecoder(forKey: TextKey("missing")))
    guard var items = try? container.nestedUnkeyedContainer(forKey: TextKey("items")) else {
      return
    }
    while !items.isAtEnd {
      ask(try items.superDecoder())
      trace.add(items.currentIndex)
    }
    trace.attempt { try items.superDecoder().codingPath.map(PathElement.init) }
  }

  private mutating func ask(_ decoder: any Decoder) {
    trace.path(decoder.codingPath)
    trace.add(decoder.userInfo[.program] != nil)
    trace.attempt { try decoder.singleValueContainer().decodeNil() }
    trace.attempt { try Animal(from: decoder) }
    trace.attempt { try decoder.singleValueContainer().decode(Int.self) }
    trace.attempt { try decoder.unkeyedContainer().count }
    trace.attempt {
      try decoder.container(keyedBy: TextKey.self).superDecoder().codingPath.map(PathElement.init)
    }
  }

  func write(to trace: inout Trace) { trace.add(self.trace) }
}
