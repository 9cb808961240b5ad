import ErrandJSON
import Foundation

/// Keeps a decoder, containers and a super decoder, and uses these after `decode` has returned.
///
/// In Foundation, the decoder of a nested value later reads the outer value again. So this type keeps only
/// the top decoder, and containers and super decoders of all levels.
struct Kept: CaseValue, Shaped {
  private let decoder: any Decoder
  private let container: KeyedDecodingContainer<TextKey>
  private let inherited: any Decoder
  private let inner: Inner?

  static let shape = Shape.object([
    .may("id", .int), .may("name", .string), .may("items", .array(.anything)),
    .may("nested", Person.shape),
    .may("super", .anything),
  ])

  init(from decoder: any Decoder) throws {
    self.decoder = decoder
    container = try decoder.container(keyedBy: TextKey.self)
    inherited = try container.superDecoder()
    inner = try? container.decode(Inner.self, forKey: TextKey("nested"))
  }

  func write(to trace: inout Trace) {
    // Decodes other documents, which may use freed memory.
    for count in 1...3 {
      let other = Data(#"{"other":[\#(count),"a text that is not in the document"]}"#.utf8)
      trace.attempt { try JSONCoding().decode([String: Anything].self, from: other) }
    }
    trace.path(decoder.codingPath)
    trace.path(container.codingPath)
    trace.path(inherited.codingPath)
    trace.sorted(container.allKeys.map(\.stringValue))
    trace.attempt { try Person(from: decoder) }
    trace.attempt { try container.decode(Int.self, forKey: TextKey("id")) }
    trace.attempt { try container.decode(String.self, forKey: TextKey("name")) }
    trace.attempt { try container.decode([Anything].self, forKey: TextKey("items")) }
    trace.attempt { try container.decode(Person.self, forKey: TextKey("nested")) }
    trace.attempt { try Anything(from: inherited) }
    trace.add(inner)
  }

  private struct Inner: CaseValue {
    let container: KeyedDecodingContainer<TextKey>

    init(from decoder: any Decoder) throws {
      container = try decoder.container(keyedBy: TextKey.self)
    }

    func write(to trace: inout Trace) {
      trace.path(container.codingPath)
      for name in container.allKeys.map(\.stringValue).sorted() {
        trace.attempt { try container.decode(Anything.self, forKey: TextKey(name)) }
        trace.attempt {
          try container.superDecoder(forKey: TextKey(name)).codingPath.map(PathElement.init)
        }
      }
    }
  }
}

/// Reads up to two elements of an unkeyed container at first, and the remaining elements later.
struct KeptElements: CaseValue, Shaped {
  private let rest: any UnkeyedDecodingContainer
  private let first: Anything?
  private let second: (any Decoder)?

  static let shape = Shape.array(.anything)

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    first = try? container.decode(Anything.self)
    second = try? container.superDecoder()
    rest = container
  }

  func write(to trace: inout Trace) {
    trace.add(first)
    if let second {
      trace.path(second.codingPath)
      trace.attempt { try Anything(from: second) }
    }
    // A copy, so each read starts at the same element.
    var rest = rest
    trace.add(rest.currentIndex, rest.isAtEnd, rest.count)
    while !rest.isAtEnd {
      let before = rest.currentIndex
      trace.attempt { try rest.decode(Anything.self) }
      if rest.currentIndex == before { break }
    }
  }
}
