import ErrandJSON
import Foundation
import Testing

/// Facts about containers that hold for ErrandJSON and for Foundation.
@Suite("Containers") struct ContainerFactsTests {
  private static let document =
    #"{"a":1,"n":null,"o":{"x":"s"},"l":[1,null,"z"],"s":"t","7":70}"#

  private func keyed(
    _ side: Side, _ text: String = document,
    _ question: @escaping @Sendable (KeyedDecodingContainer<AnyKey>) throws -> String
  ) -> String {
    Asking.ask(side, text) { try question($0.container(keyedBy: AnyKey.self)) }
  }

  private func unkeyed(
    _ side: Side, _ text: String,
    _ question: @escaping @Sendable (inout any UnkeyedDecodingContainer) throws -> String
  ) -> String {
    Asking.ask(side, text) { decoder in
      var list = try decoder.unkeyedContainer()
      return try question(&list)
    }
  }

  @Test("Keyed containers report missing, null and mistyped members", arguments: Side.allCases)
  func keyed(side: Side) {
    #expect(
      keyed(side) { "\($0.contains(AnyKey("zz"))) \($0.contains(AnyKey("n")))" } == "false true")
    #expect(
      keyed(side) {
        "\(try $0.decodeNil(forKey: AnyKey("n"))) \(try $0.decodeNil(forKey: AnyKey("a")))"
      }
        == "true false")
    #expect(keyed(side) { "\(try $0.decodeNil(forKey: AnyKey("zz")))" } == "keyNotFound(zz) /")
    #expect(
      keyed(side) { "\(try $0.decode(Int.self, forKey: AnyKey("zz")))" } == "keyNotFound(zz) /")
    #expect(
      keyed(side) { "\(try $0.decode(Int?.self, forKey: AnyKey("zz")) as Any)" }
        == "keyNotFound(zz) /")
    #expect(
      keyed(side) { "\(try $0.decode(Int.self, forKey: AnyKey("n")))" } == "valueNotFound(Int) /n")
    #expect(
      keyed(side) { "\(try $0.decode(Bool.self, forKey: AnyKey("n")))" } == "typeMismatch(Bool) /n")
    #expect(keyed(side) { "\(try $0.decode(Int?.self, forKey: AnyKey("n")) as Any)" } == "nil")
    #expect(
      keyed(side) { "\(try $0.decode(Int.self, forKey: AnyKey("s")))" } == "typeMismatch(Int) /s")
    #expect(
      keyed(side) { "\(try $0.decode(Bool.self, forKey: AnyKey("a")))" } == "typeMismatch(Bool) /a")
    #expect(
      keyed(side) { "\(try $0.decodeIfPresent(Int.self, forKey: AnyKey("s")) as Any)" }
        == "typeMismatch(Int) /s")
    #expect(
      keyed(side) { "\(try $0.decodeIfPresent(Int?.self, forKey: AnyKey("n")) as Any)" } == "nil")
    #expect(
      keyed(side) { "\(try $0.decode(String.self, forKey: AnyKey(intValue: 7)))" }
        == "typeMismatch(String) /7[7]")
    #expect(
      keyed(side) { "\(try $0.decode([Int].self, forKey: AnyKey("l")))" }
        == "valueNotFound(Int) /l/Index 1[1]")
    #expect(
      keyed(side) { "\(try $0.decode([Int?].self, forKey: AnyKey("l")))" }
        == "typeMismatch(Int) /l/Index 2[2]")
  }

  @Test("Nested containers report their paths in their errors", arguments: Side.allCases)
  func nested(side: Side) {
    let inner = keyed(side) { container in
      let nested = try container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("o"))
      let list = try container.nestedUnkeyedContainer(forKey: AnyKey("l"))
      return [
        path(nested.codingPath), path(list.codingPath),
        attempt { try nested.decode(Int.self, forKey: AnyKey("x")) },
        attempt { try nested.decode(Int.self, forKey: AnyKey("q")) }, path(container.codingPath),
      ].joined(separator: " ")
    }
    #expect(inner == "/o /l typeMismatch(Int) /o/x keyNotFound(q) /o /")
    for (name, expected) in [
      ("zz", "keyNotFound(zz) /"), ("n", "valueNotFound(Dictionary<String, Any>) /n"),
      ("a", "typeMismatch(Dictionary<String, Any>) /a"),
    ] {
      #expect(
        keyed(side) {
          "\(try $0.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(name)).allKeys)"
        }
          == expected)
    }
    for (name, expected) in [
      ("zz", "keyNotFound(zz) /"), ("n", "valueNotFound(Array<Any>) /n"),
      ("a", "typeMismatch(Array<Any>) /a"),
    ] {
      #expect(
        keyed(side) { "\(try $0.nestedUnkeyedContainer(forKey: AnyKey(name)).isAtEnd)" } == expected
      )
    }
  }

  @Test("Super decoders of missing values decode null", arguments: Side.allCases)
  func supers(side: Side) {
    let missing = keyed(side) { container in
      let inherited = try container.superDecoder()
      return [
        path(inherited.codingPath), "\(try inherited.singleValueContainer().decodeNil())",
        attempt { try inherited.container(keyedBy: AnyKey.self).allKeys },
        attempt { try inherited.unkeyedContainer().isAtEnd },
        attempt { try inherited.singleValueContainer().decode(Int.self) },
      ].joined(separator: " ")
    }
    #expect(
      missing
        == "/super true valueNotFound(Dictionary<String, Any>) /super valueNotFound(Array<Any>) /super valueNotFound(Int) /super"
    )
    #expect(keyed(side) { path(try $0.superDecoder(forKey: AnyKey("zz")).codingPath) } == "/zz")
    let deep = keyed(side, #"{"super":{"x":"s","super":{"y":1}}}"#) { container in
      let inner = try container.superDecoder().container(keyedBy: AnyKey.self)
      return path(try inner.superDecoder().codingPath) + " "
        + attempt { try inner.decode(Int.self, forKey: AnyKey("x")) }
    }
    #expect(deep == "/super/super typeMismatch(Int) /super/x")
  }

  @Test("Unkeyed containers do not advance after a failure", arguments: Side.allCases)
  func failures(side: Side) {
    let steps = unkeyed(side, #"["x",null,1]"#) { list in
      var steps: [String] = []
      func step<Value>(_ work: (inout any UnkeyedDecodingContainer) throws -> Value) {
        var copy = list
        steps.append(attempt { try work(&copy) })
        list = copy
        steps.append("\(list.currentIndex)")
      }
      step { try $0.decode(Int.self) }
      step { try $0.decodeNil() }
      step { try $0.nestedUnkeyedContainer().isAtEnd }
      step { try $0.decodeIfPresent(Int.self) as Any }
      step { try $0.decode(String.self) }
      step { try $0.decode(Bool.self) }
      step { try $0.decodeNil() }
      step { try $0.decodeNil() }
      step { path(try $0.superDecoder().codingPath) }
      return steps.joined(separator: " ")
    }
    #expect(
      steps
        == "typeMismatch(Int) /Index 0[0] 0 false 0 typeMismatch(Array<Any>) /Index 0[0] 0 typeMismatch(Int) /Index 0[0] 0 x 1 "
        + "typeMismatch(Bool) /Index 1[1] 1 true 2 false 2 /Index 2[2] 3")
  }

  @Test(
    "Unkeyed containers report the requested type at their end, and count optional reads",
    arguments: Side.allCases)
  func end(side: Side) {
    func end(_ question: @escaping @Sendable (inout any UnkeyedDecodingContainer) throws -> String)
      -> String
    {
      unkeyed(side, "[]", question)
    }
    #expect(end { "\(try $0.decode(Int.self))" } == "valueNotFound(Int) /Index 0[0]")
    #expect(
      end { "\(try $0.decode(Int?.self) as Any)" } == "valueNotFound(Optional<Int>) /Index 0[0]")
    #expect(end { "\(try $0.decode([Int].self))" } == "valueNotFound(Array<Int>) /Index 0[0]")
    #expect(end { "\(try $0.decodeNil())" } == "valueNotFound(Never) /Index 0[0]")
    #expect(
      end { "\(try $0.nestedUnkeyedContainer().isAtEnd)" }
        == "valueNotFound(UnkeyedDecodingContainer) /Index 0[0]")
    #expect(
      end { "\(try $0.nestedContainer(keyedBy: AnyKey.self).allKeys)" }
        == "valueNotFound(KeyedDecodingContainer<AnyKey>) /Index 0[0]")
    #expect(end { "\(try $0.superDecoder().codingPath)" } == "valueNotFound(Decoder) /Index 0[0]")
    let counted = end { list in
      let nothing =
        try list.decodeIfPresent(Int.self) == nil && list.decodeIfPresent([Int].self) == nil
      let error = attempt { [list] in
        var copy = list
        return try copy.decode(Bool.self)
      }
      return "\(nothing) \(list.currentIndex) \(list.isAtEnd) \(error)"
    }
    #expect(counted == "true 2 true valueNotFound(Bool) /Index 2[2]")
  }

  @Test(
    "Containers of the wrong kind, and null containers, are errors at their path", arguments: Side.allCases)
  func kinds(side: Side) {
    #expect(side.result([Int].self, "null") == "valueNotFound(Array<Any>) /")
    #expect(side.result([Int].self, "{}") == "typeMismatch(Array<Any>) /")
    #expect(side.result([String: Int].self, "null") == "valueNotFound(Dictionary<String, Any>) /")
    #expect(side.result([String: Int].self, "[]") == "typeMismatch(Dictionary<String, Any>) /")
    #expect(side.result(Bool.self, "null") == "typeMismatch(Bool) /")
    #expect(side.result(String.self, "null") == "valueNotFound(String) /")
    #expect(side.result(Int??.self, "null") == "nil")
    #expect(side.result(Int??.self, "1") == "Optional(Optional(1))")
  }

  @Test("Dictionaries with integer keys need integer names", arguments: Side.allCases)
  func dictionaries(side: Side) {
    #expect(side.result([Int: Int].self, #"{"-4":1}"#) == "[-4: 1]")
    #expect(side.result([Int: Int].self, #"{"+3":1}"#) == "[3: 1]")
    #expect(side.result([Int: Int].self, #"{"x":1}"#) == "typeMismatch(Int) /x")
    #expect(side.result([Int: Int].self, #"{"1":"x"}"#) == "typeMismatch(Int) /1[1]")
    #expect(side.result([Int8: Int].self, "[1,2]") == "[1: 2]")
    #expect(side.result([Int8: Int].self, #"{"1":2}"#) == "typeMismatch(Array<Any>) /")
    #expect(side.result([Int8: Int].self, "[1]") == "dataCorrupted /")
  }
}
