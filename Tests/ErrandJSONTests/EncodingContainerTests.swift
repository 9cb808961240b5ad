import Foundation
import Testing

@testable import ErrandJSON

private typealias Key = EncodingPlan.Key

@Suite("Containers of an encoder")
struct EncodingContainerTests {
  @Test("Members are written in the order of encoding")
  func order() {
    struct Point: Encodable { var y = 1, x = 2, name = "p", missing: Int? }
    #expect(encodedText(Point()) == .text(#"{"y":1,"x":2,"name":"p"}"#))
    let pretty = "{\n  \"y\" : 1,\n  \"x\" : 2,\n  \"name\" : \"p\"\n}"
    #expect(encodedText(Point()) { $0.outputFormatting = .prettyPrinted } == .text(pretty))
  }

  @Test("A repeated key keeps its position and takes the last value")
  func repeatedKeys() {
    let value = Encoding { encoder in
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(1, forKey: Key("cafe\u{301}"))
      try container.encode(2, forKey: Key("b"))
      try container.encode("nine", forKey: Key("b"))
      try container.encode([3], forKey: Key("caf\u{E9}"))
      try container.encode(4, forKey: Key("z"))
    }
    #expect(encodedText(value) == .text("{\"cafe\u{301}\":[3],\"b\":\"nine\",\"z\":4}"))
    expectFoundationsResult(of: value)
  }

  @Test("A repeated key is found among many keys, including canonically equivalent keys with different bytes")
  func manyKeys() {
    let value = Encoding { encoder in
      var container = encoder.container(keyedBy: Key.self)
      for index in 0..<300 { try container.encode(index, forKey: Key("key \(index)")) }
      for index in stride(from: 0, to: 300, by: 7) {
        try container.encode(-index, forKey: Key("key \(index)"))
      }
      try container.encode(1, forKey: Key("K"))
      try container.encode(2, forKey: Key("\u{212A}"))
    }
    expectFoundationsResult(of: value)
  }

  @Test("A nested container that is requested twice is the same container, and extends an encoded object")
  func mergedContainers() {
    let value = Encoding { encoder in
      var container = encoder.container(keyedBy: Key.self)
      var first = container.nestedContainer(keyedBy: Key.self, forKey: Key("n"))
      try first.encode(1, forKey: Key("a"))
      var list = container.nestedUnkeyedContainer(forKey: Key("l"))
      try list.encode(true)
      var second = container.nestedContainer(keyedBy: Key.self, forKey: Key("n"))
      try second.encode("/\"", forKey: Key("b/"))
      try first.encode(3, forKey: Key("c"))
      var again = container.nestedUnkeyedContainer(forKey: Key("l"))
      try again.encode("x")
      #expect(again.count == 2)
      try container.encode(["in": [1, 2]], forKey: Key("o"))
      var opened = container.nestedContainer(keyedBy: Key.self, forKey: Key("o"))
      try opened.encode([nil, "}"], forKey: Key("}"))
      var deeper = opened.nestedUnkeyedContainer(forKey: Key("in"))
      try deeper.encode(-1.5)
      try deeper.encode(["a": ["b": 1]])
    }
    let text =
      #"{"n":{"a":1,"b\/":"\/\"","c":3},"l":[true,"x"],"o":{"in":[1,2,-1.5,{"a":{"b":1}}],"}":[null,"}"]}}"#
    #expect(encodedText(value) == .text(text))
    expectFoundationsResult(of: value)
  }

  @Test("Containers of the same encoder are the same container, also for a value that encodes another value")
  func containersOfOneEncoder() {
    let value = Encoding { encoder in
      var first = encoder.container(keyedBy: Key.self)
      try first.encode(1, forKey: Key("a"))
      var single = encoder.singleValueContainer()
      try single.encode(["b": 2])
      var second = encoder.container(keyedBy: Key.self)
      try second.encode(3, forKey: Key("c"))
    }
    expectFoundationsResult(of: value)
    let list = Encoding { encoder in
      var single = encoder.singleValueContainer()
      try single.encode([[1], [2]])
      var container = encoder.unkeyedContainer()
      try container.encode(3)
      #expect(container.count == 3)
    }
    expectFoundationsResult(of: list)
  }

  @Test("Super encoders keep their positions, and can be filled last")
  func superEncoders() {
    let value = Encoding { encoder in
      var container = encoder.container(keyedBy: Key.self)
      let late = container.superEncoder()
      let empty = container.superEncoder(forKey: Key("empty"))
      try container.encode(1, forKey: Key("a"))
      var single = late.singleValueContainer()
      try single.encode([1, 2])
      #expect(
        late.codingPath.map(\.stringValue) == ["super"] && empty.codingPath.map(\.stringValue) == ["empty"])
    }
    #expect(encodedText(value) == .text(#"{"super":[1,2],"empty":{},"a":1}"#))
    expectFoundationsResult(of: value)
    let list = Encoding { encoder in
      var container = encoder.unkeyedContainer()
      let first = container.superEncoder()
      let second = container.superEncoder()
      try container.encode(0)
      var nested = second.container(keyedBy: Key.self)
      try nested.encode(2, forKey: Key("s"))
      try 1.encode(to: first)
    }
    #expect(encodedText(list) == .text(#"[1,{"s":2},0]"#))
  }

  @Test("Classes with a super encoder, and without")
  func inheritance() {
    class Base: Encodable {
      var a = 1
    }
    class Apart: Base {
      var b = [2]
      override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(b, forKey: Key("b"))
        try super.encode(to: container.superEncoder())
      }
    }
    class Together: Base {
      override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("c", forKey: Key("c"))
      }
    }
    #expect(encodedText([Apart()]) == .text(#"[{"b":[2],"super":{"a":1}}]"#))
    #expect(encodedText([Together()]) == .text(#"[{"a":1,"c":"c"}]"#))
    expectFoundationsResult(of: [Apart()])
    expectFoundationsResult(of: [Together()])
  }

  @Test("Values written to an outer container during the encoding of an inner value have the right position")
  func writingFromWithin() {
    let value = Encoding { encoder in
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(1, forKey: Key("a"))
      let outer = container
      let inner = Encoding { inner in
        var own = inner.container(keyedBy: Key.self)
        var container = outer
        try own.encode(2, forKey: Key("i"))
        try container.encode([3: ["x"]], forKey: Key("from within"))
        try container.encode(["deep": Encoding { try 4.encode(to: $0) }], forKey: Key("also"))
        try own.encode(5, forKey: Key("j"))
      }
      try container.encode(inner, forKey: Key("inner"))
      try container.encode(6, forKey: Key("z"))
    }
    let text = #"{"a":1,"from within":{"3":["x"]},"also":{"deep":4},"inner":{"i":2,"j":5},"z":6}"#
    #expect(encodedText(value) == .text(text))
    expectFoundationsResult(of: value)
    let list = Encoding { encoder in
      var container = encoder.unkeyedContainer()
      try container.encode(1)
      let outer = container
      try container.encode(
        Encoding { inner in
          var own = inner.unkeyedContainer()
          var container = outer
          try container.encode("before")
          try own.encode(2)
        })
    }
    #expect(encodedText(list) == .text(#"[1,"before",[2]]"#))
    expectFoundationsResult(of: list)
  }

  @Test("Values written alternately to two outer containers have the right positions")
  func writingIntoTwo() {
    func value(_ open: @escaping (any Encoder) throws -> (Int) throws -> Void) -> Encoding {
      Encoding { encoder in
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(0, forKey: Key("first"))
        let outer = container
        let middle = Encoding { middle in
          let write = try open(middle)
          try write(1)
          try write(2)
          var container = outer
          let innermost = Encoding { innermost in
            try write(3)
            var own = innermost.container(keyedBy: Key.self)
            try own.encode(9, forKey: Key("own"))
          }
          try container.encode(innermost, forKey: Key("outer"))
          try write(4)
        }
        try container.encode(middle, forKey: Key("middle"))
        try container.encode("end", forKey: Key("z"))
      }
    }
    let object = value { encoder in
      var container = encoder.container(keyedBy: Key.self)
      return { try container.encode($0, forKey: Key("\($0)")) }
    }
    #expect(
      encodedText(object)
        == .text(#"{"first":0,"outer":{"own":9},"middle":{"1":1,"2":2,"3":3,"4":4},"z":"end"}"#))
    expectFoundationsResult(of: object)
    let array = value { encoder in
      var container = encoder.unkeyedContainer()
      return { try container.encode($0) }
    }
    #expect(encodedText(array) == .text(#"{"first":0,"outer":{"own":9},"middle":[1,2,3,4],"z":"end"}"#))
    expectFoundationsResult(of: array)
    // Foundation ends the process at the second encoded value.
    let single = value { encoder in
      var number = 0
      return {
        number += 1
        if number == 1 { return try $0.encode(to: encoder) }
        if number == 3 { _ = encoder.container(keyedBy: Key.self) }
      }
    }
    #expect(throws: EncodingError.self) { try JSONCoding().encode(single) }
  }

  @Test("Nested super encoders are released, also after errors")
  func lettingGo() {
    final class Token: Sendable {}
    struct TokenKey: CodingKey {
      var token = Token()
      var stringValue: String { "t" }
      var intValue: Int? { nil }
      init(_ token: Token) { self.token = token }
      init?(stringValue: String) { nil }
      init?(intValue: Int) { nil }
    }
    struct Refusal: Error {}
    for fails in [false, true] {
      weak var token: Token?
      do {
        let key = TokenKey(Token())
        token = key.token
        let value = Encoding { encoder in
          var container = encoder.container(keyedBy: TokenKey.self)
          for _ in 0..<2 {
            var inner = container.superEncoder(forKey: key).container(keyedBy: TokenKey.self)
            var innermost = inner.superEncoder(forKey: key).unkeyedContainer()
            _ = innermost.superEncoder()
          }
          if fails { throw Refusal() }
        }
        #expect(encodedText([value]) == (fails ? .failure("Refusal()") : .text(#"[{"t":{"t":[{}]}}]"#)))
      }
      #expect(token == nil)
    }
  }

  @Test("Encoders and containers used after encoding have no effect")
  func keptContainers() throws {
    final class Kept {
      var encoders: [any Encoder] = []
      var keyed: [KeyedEncodingContainer<Key>] = []
      var unkeyed: [any UnkeyedEncodingContainer] = []
    }
    let kept = Kept()
    func keeping(_ number: Int) -> Encoding {
      Encoding { encoder in
        kept.encoders.append(encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(number, forKey: Key("n"))
        if number % 2 == 1 {
          kept.keyed.append(container.nestedContainer(keyedBy: Key.self, forKey: Key("o")))
        }
        kept.keyed.append(container)
        for index in kept.keyed.indices.dropLast() {
          try kept.keyed[index].encode("lost", forKey: Key("late"))
        }
        kept.encoders.append(container.superEncoder(forKey: Key("s")))
      }
    }
    let text = #"[{"n":0,"s":{}},{"n":1,"o":{"late":"lost"},"s":{}},{"n":2,"s":{}}]"#
    #expect(encodedText((0..<3).map(keeping)) == .text(text))
    for encoder in kept.encoders {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode([1: 2], forKey: Key("x"))
      kept.unkeyed.append(encoder.unkeyedContainer())
      _ = (container.superEncoder(), container.nestedUnkeyedContainer(forKey: Key("y")), encoder.codingPath)
    }
    for index in kept.unkeyed.indices {
      try kept.unkeyed[index].encode("x")
      var nested = kept.unkeyed[index].nestedContainer(keyedBy: Key.self)
      try nested.encode("x", forKey: Key("x"))
    }
    #expect(encodedText([1]) == .text("[1]"))
  }
}
