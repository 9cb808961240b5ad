import Foundation

/// A type with random reads.
///
/// The seed in `userInfo` decides on containers, keys and calls, so two decoders get equal calls.
struct Probe: CaseValue, Shaped {
  private var trace = Trace()
  private var random: CaseRandom

  static let shape = Shape.either([
    .anything, Person.shape, .array(.anything), .array(Person.shape), .array(.int),
    .dictionary(.words, .anything),
    .object([
      .may("id", .int), .may("items", .array(.array(.anything))),
      .may("nested", .dictionary(.words, .anything)),
    ]),
  ])

  init(from decoder: any Decoder) throws {
    let seed = decoder.userInfo[.program] as? UInt64 ?? 0
    random = CaseRandom(seed: seed, index: decoder.codingPath.count)
    trace.path(decoder.codingPath)
    // Deeper levels read less, because each read decodes all levels below.
    for _ in 0...(4 - min(4, decoder.codingPath.count)) { ask(decoder) }
    if random.chance(30) { throw CaseError.refused("by chance") }
  }

  func write(to trace: inout Trace) { trace.add(self.trace) }

  private mutating func ask(_ decoder: any Decoder) {
    guard decoder.codingPath.count < 8 else { return }
    do {
      switch random.below(8) {
      case 0: try ask(decoder.container(keyedBy: NameKey.self), keys: NameKey.allCases)
      case 1:
        try ask(
          decoder.container(keyedBy: NumberKey.self),
          keys: [-4, 1, 2, 3].map(NumberKey.init(intValue:)))
      case 2, 3, 4: try ask(decoder.container(keyedBy: TextKey.self), keys: Self.texts)
      case 5, 6:
        var list = try decoder.unkeyedContainer()
        ask(&list)
      default: ask(try decoder.singleValueContainer())
      }
    } catch {
      trace.add(ErrorFact(error).insideOfDecoding)
    }
  }

  private static let texts =
    [
      "id", "name", "items", "fooBar", "aURL", "nested", "super", "x", "é", "e\u{301}", "", "1",
      "foo_bar",
      "missing",
    ]
    .map { TextKey($0) }

  private mutating func ask<Key: CodingKey>(_ container: KeyedDecodingContainer<Key>, keys: [Key])
    throws
  {
    trace.path(container.codingPath)
    if random.chance(200) { trace.sorted(container.allKeys.map(PathElement.init)) }
    for _ in 0..<random.below(8) {
      let key = random.one(of: keys)
      switch random.below(20) {
      case 0: trace.add(container.contains(key))
      case 1: trace.attempt { try container.decodeNil(forKey: key) }
      case 2: trace.attempt { try container.decode(Int.self, forKey: key) }
      case 3: trace.attempt { try container.decode(String.self, forKey: key) }
      case 4: trace.attempt { try container.decode(Bool.self, forKey: key) }
      case 5: trace.attempt { try container.decode(Double.self, forKey: key) }
      case 6: trace.attempt { try container.decode(UInt8?.self, forKey: key) }
      case 7: trace.attempt { try container.decodeIfPresent(Int.self, forKey: key) }
      case 8: trace.attempt { try container.decodeIfPresent(String.self, forKey: key) }
      case 9: trace.attempt { try container.decodeIfPresent(Bool.self, forKey: key) }
      case 10: trace.attempt { try container.decodeIfPresent(Float.self, forKey: key) }
      case 11: trace.attempt { try container.decodeIfPresent([Int?].self, forKey: key) }
      case 12: trace.attempt { try container.decode(Probe.self, forKey: key) }
      case 13: trace.attempt { try container.decodeIfPresent(Date.self, forKey: key) }
      case 14: trace.attempt { try container.decode(Anything.self, forKey: key) }
      case 15:
        try ask(container.nestedContainer(keyedBy: TextKey.self, forKey: key), keys: Self.texts)
      case 16:
        var list = try container.nestedUnkeyedContainer(forKey: key)
        ask(&list)
      case 17: ask(try container.superDecoder(forKey: key))
      case 18: ask(try container.superDecoder())
      default: trace.attempt { try container.decode([String: Anything].self, forKey: key) }
      }
    }
  }

  private mutating func ask(_ list: inout any UnkeyedDecodingContainer) {
    trace.path(list.codingPath)
    trace.add(list.count)
    guard list.codingPath.count < 8 else { return }
    for _ in 0..<random.below(10) {
      trace.add(list.currentIndex, list.isAtEnd)
      switch random.below(14) {
      case 0: trace.attempt { try list.decodeNil() }
      case 1: trace.attempt { try list.decode(Int.self) }
      case 2: trace.attempt { try list.decode(String.self) }
      case 3: trace.attempt { try list.decode(Double.self) }
      case 4: trace.attempt { try list.decode(Bool.self) }
      case 5: trace.attempt { try list.decodeIfPresent(Int.self) }
      case 6: trace.attempt { try list.decodeIfPresent(String.self) }
      case 7: trace.attempt { try list.decode(Probe.self) }
      case 8: trace.attempt { try list.decode(Anything.self) }
      case 9: trace.attempt { try list.decode(Int16?.self) }
      case 10: if let decoder = attempt({ try list.superDecoder() }) { ask(decoder) }
      case 11: if var inner = attempt({ try list.nestedUnkeyedContainer() }) { ask(&inner) }
      case 12:
        if let inner = attempt({ try list.nestedContainer(keyedBy: TextKey.self) }) {
          trace.add(inner.contains(TextKey("id")))
        }
      default: trace.attempt { try list.decodeIfPresent(Person.self) }
      }
    }
  }

  private mutating func ask(_ single: any SingleValueDecodingContainer) {
    trace.path(single.codingPath)
    trace.add(single.decodeNil())
    switch random.below(6) {
    case 0: trace.attempt { try single.decode(Int.self) }
    case 1: trace.attempt { try single.decode(String.self) }
    case 2: trace.attempt { try single.decode(Anything.self) }
    case 3: trace.attempt { try single.decode([Anything].self) }
    case 4: trace.attempt { try single.decode(Float?.self) }
    default: trace.attempt { try single.decode([String: Anything?].self) }
    }
  }

  private mutating func attempt<Value>(_ work: () throws -> Value) -> Value? {
    do {
      return try work()
    } catch {
      trace.add(ErrorFact(error).insideOfDecoding)
      return nil
    }
  }
}
