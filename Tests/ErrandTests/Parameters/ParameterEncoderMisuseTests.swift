import Foundation
import Testing

@testable import Errand

@Suite("Parameters of unusual Encodable values")
struct ParameterEncoderMisuseTests {
  struct Written: Encodable {
    let write: @Sendable (any Encoder) throws -> Void
    init(_ write: @escaping @Sendable (any Encoder) throws -> Void) { self.write = write }
    func encode(to encoder: any Encoder) throws { try write(encoder) }
  }

  typealias Key = ParameterEncoderTests.Named

  private func encoded(_ write: @escaping @Sendable (any Encoder) throws -> Void) throws -> Parameters {
    try Parameters(encoding: Written(write))
  }

  @Test("A value without names is refused, and the message names its encoding")
  func nameless() {
    struct Wrapper: Encodable {
      func encode(to encoder: any Encoder) throws { try 5.encode(to: encoder) }
    }
    func expect(_ value: some Encodable, _ text: String) {
      let refusal = Refusal(
        "\(text), but parameters need names: encode a struct, a class or a dictionary", kind: .encoding)
      #expect(throws: refusal) { try Parameters(encoding: value) }
    }
    expect(7, "Int is encoded as a number")
    expect(0.5, "Double is encoded as a number")
    expect("a", "String is encoded as a text")
    expect(Secret("a"), "Secret is encoded as a text")
    expect(true, "Bool is encoded as a truth value")
    expect([1, 2], "Array<Int> is encoded as a list")
    expect(nil as Int?, "Optional<Int> is encoded as null")
    expect(Date(), "Date is encoded as a date")
    expect(Data(), "Data is encoded as bytes")
    expect(URL(fileURLWithPath: "/"), "URL is encoded as a text")
    expect(Wrapper(), "Wrapper is encoded as a number")
    expect(
      [ParameterEncoderTests.Named("a").stringValue: 1].map { [$0: $1] },
      "Array<Dictionary<String, Int>> is encoded as a list")
  }

  final class Node: Encodable {
    var next: Node?
    var other: Node?
    let isPatient: Bool
    init(isPatient: Bool = false) { self.isPatient = isPatient }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      if isPatient {
        try? container.encodeIfPresent(next, forKey: Key("next"))
        try? container.encodeIfPresent(other, forKey: Key("other"))
      } else {
        try container.encodeIfPresent(next, forKey: Key("next"))
      }
    }
  }

  final class Selfish: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(self)
    }
  }

  static let tooDeep = Refusal("the parameters are nested deeper than 512 levels", kind: .encoding)

  static let circle = Refusal(
    "the parameters have more than 64 nested values, or a value contains itself",
    kind: .encoding)

  @Test("A recursive object is refused on a small stack, even if the object ignores errors")
  func circles() async {
    let error = await onSmallStack {
      for isPatient in [false, true] {
        let node = Node(isPatient: isPatient)
        (node.next, node.other) = (node, node)
        #expect(throws: Self.circle) { try Parameters(encoding: node) }
        (node.next, node.other) = (nil, nil)
      }
      #expect(throws: Self.circle) { try Parameters(encoding: Selfish()) }
      #expect(throws: Self.circle) { try Parameters(encoding: ["a": [Selfish()]]) }
    }
    #expect(error == nil)
  }

  /// On a thread with 512 KiB of stack, as on Apple platforms; 4 MiB with the address sanitizer.
  private func onSmallStack(_ body: @escaping @Sendable () throws -> Void) async -> (any Error)? {
    await withCheckedContinuation { continuation in
      let thread = Thread {
        continuation.resume(returning: Result { try body() }.failure)
      }
      thread.stackSize = Sanitizer.isAddress ? 4 << 20 : 512 << 10
      thread.start()
    }
  }

  @Test("512 levels are encoded and written, and 513 levels are refused")
  func levels() throws {
    func nested(_ levels: Int) -> Written {
      Written { encoder in
        var container = encoder.container(keyedBy: Key.self)
        for _ in 1..<levels { container = container.nestedContainer(keyedBy: Key.self, forKey: Key("a")) }
        try container.encode(1, forKey: Key("a"))
      }
    }
    let parameters = try Parameters(encoding: nested(512))
    #expect(try ParameterEncoding(.dottedKeys).encode(parameters).count == 512 * 2 + 1)
    #expect(try RequestSerializer.json.body(of: parameters).data?.count == 512 * 6 + 1)
    #expect(throws: Self.tooDeep) { try Parameters(encoding: nested(513)) }
    #expect(throws: Self.tooDeep) { try Parameters(encoding: nested(2_000)) }
    #expect(throws: Self.tooDeep) {
      try encoded { encoder in
        var container = encoder.unkeyedContainer()
        for _ in 0..<2_000 { container = container.nestedUnkeyedContainer() }
      }
    }
  }

  @Test("Super encoders and nested containers have their keys, at any time of writing")
  func supers() throws {
    let made = try encoded { encoder in
      var container = encoder.container(keyedBy: Key.self)
      let (plain, named) = (container.superEncoder(), container.superEncoder(forKey: Key("base")))
      var list = container.nestedUnkeyedContainer(forKey: Key("list"))
      try container.encode(3, forKey: Key("last"))
      let element = list.superEncoder()
      try list.encode("b")
      try list.encodeNil()
      var inner = list.nestedContainer(keyedBy: Key.self)
      try inner.encode(1, forKey: Key("x"))
      try "a".encode(to: element)
      try ["k": 1].encode(to: named)
      try true.encode(to: plain)
      var again = container.nestedUnkeyedContainer(forKey: Key("list"))
      try again.encode(again.count)
    }
    #expect(
      made == [
        "super": true, "base": .object(["k": 1]), "list": .list("a", "b", nil, .object(["x": 1]), 4),
        "last": 3,
      ])
    let empty = try encoded { _ = $0.container(keyedBy: Key.self).codingPath }
    #expect(try empty.isEmpty && encoded { _ in }.isEmpty)
  }

  @Test(
    "A key that is encoded again keeps its position and takes the later value, and a failing value leaves nothing"
  )
  func again() throws {
    struct Mishap: Error {}
    let made = try encoded { encoder in
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(1, forKey: Key("a"))
      try container.encode(2, forKey: Key("b"))
      try container.encode("x", forKey: Key("a"))
      let failing = Written { inner in
        var container = inner.container(keyedBy: Key.self)
        try container.encode(1, forKey: Key("half"))
        throw Mishap()
      }
      #expect(throws: Mishap.self) { try container.encode(failing, forKey: Key("c")) }
      let falling = Written { inner in
        var single = inner.singleValueContainer()
        #expect(throws: Mishap.self) { try single.encode(failing) }
        try single.encode("whole")
      }
      try container.encode(falling, forKey: Key("d"))
    }
    #expect(made == ["a": "x", "b": 2, "d": "whole"])
    #expect(throws: Mishap.self) { try encoded { _ in throw Mishap() } }
  }

  @Test("Container use without a result is refused with the key, even if the error is caught")
  func misuse() {
    func expect(_ key: String, _ what: String, _ write: @escaping @Sendable (any Encoder) throws -> Void) {
      let refusal = Refusal(
        "the parameter \"\(key)\" cannot be encoded: its encode(to:) asks for \(what)", kind: .encoding)
      #expect(throws: refusal) {
        try Parameters(encoding: ["a": [Written { try? write($0) }]])
      }
    }
    let kinds = "containers of two kinds, or a container beside a value"
    expect("a[0]", kinds) { encoder in
      _ = encoder.container(keyedBy: Key.self)
      var list = encoder.unkeyedContainer()
      try list.encode(1)
    }
    expect("a[0]", kinds) { encoder in
      var single = encoder.singleValueContainer()
      try single.encode(1)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(1, forKey: Key("x"))
    }
    let second = "a second value, or a value beside a container"
    expect("a[0]", second) { encoder in
      var single = encoder.singleValueContainer()
      try single.encode(1)
      try single.encode(2)
    }
    expect("a[0][b]", second) { encoder in
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(
        Written { inner in
          _ = inner.unkeyedContainer()
          var single = inner.singleValueContainer()
          try single.encodeNil()
        }, forKey: Key("b"))
    }
  }

  @Test("Unusual keys are encoded, and decode from a form")
  func oddKeys() throws {
    let keys = ["a[b]", "c.d", "e&f=g", "h i+j", "é😀", "", "%5B", "\n"]
    let map = Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) })
    let parameters = try Parameters(encoding: map)
    #expect(parameters.keys == keys.sorted())
    for encoding in [ParameterEncoding(), ParameterEncoding(.plusSpaces)] {
      let form = try encoding.encode(parameters)
      let pairs = form.split(separator: "&").map { pair in
        pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { text in
          String(decoding: PercentEncoding.decode(Array(text.utf8)[...], plusIsBlank: true), as: UTF8.self)
        }
      }
      #expect(pairs == keys.sorted().map { [$0, $0] })
    }
  }

  @Test("100,000 members and elements are encoded in time", .timeLimit(.minutes(5)))
  func many() throws {
    let map = Dictionary(uniqueKeysWithValues: (0..<100_000).map { ("key-\($0)", $0) })
    let parameters = try Parameters(encoding: ["map": map])
    guard case .object(let inner) = parameters.node(for: "map") else { return #expect(Bool(false)) }
    #expect(inner.entries.count == 100_000 && inner.node(for: "key-77") == .integer(77))
    let list = try Parameters(encoding: ["list": Array(0..<100_000)])
    #expect(list.node(for: "list") == Array(0..<100_000).parameterNode)
  }
}

extension Result {
  fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
