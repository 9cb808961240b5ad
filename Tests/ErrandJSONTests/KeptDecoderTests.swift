import ErrandJSON
import Foundation
import JSONCases
import Testing

/// Decoders and containers that a value has stored work after `decode` has returned.
@Suite("Kept decoders and containers") struct KeptDecoderTests {
  private static let document =
    #"{"id":1,"inner":{"x":"text that is longer than fifteen bytes","list":[1,"b",[3]]},"list":[10,20,30]}"#

  /// Stores a decoder with all kinds of containers.
  private final class Keeper: Decodable {
    let decoder: any Decoder
    let container: KeyedDecodingContainer<AnyKey>
    let list: any UnkeyedDecodingContainer
    let inherited: any Decoder
    let inner: Inner

    init(from decoder: any Decoder) throws {
      self.decoder = decoder
      container = try decoder.container(keyedBy: AnyKey.self)
      var list = try container.nestedUnkeyedContainer(forKey: AnyKey("list"))
      _ = try list.decode(Int.self)
      self.list = list
      inherited = try container.superDecoder(forKey: AnyKey("inner"))
      inner = try container.decode(Inner.self, forKey: AnyKey("inner"))
    }

    struct Inner: Decodable {
      let decoder: any Decoder
      let container: KeyedDecodingContainer<AnyKey>
      let single: any SingleValueDecodingContainer

      init(from decoder: any Decoder) throws {
        self.decoder = decoder
        container = try decoder.container(keyedBy: AnyKey.self)
        single = try decoder.singleValueContainer()
      }
    }

    func answers() -> [String] {
      var list = list
      return [
        path(decoder.codingPath),
        attempt {
          try decoder.container(keyedBy: AnyKey.self).decode(Int.self, forKey: AnyKey("id"))
        },
        attempt { try container.decode([Int].self, forKey: AnyKey("list")) },
        attempt { try container.decode(String.self, forKey: AnyKey("list")) },
        "\(list.currentIndex)", attempt { try list.decode(Int.self) },
        attempt { try list.decode(Int.self) },
        attempt { try list.decode(Int.self) }, path(inherited.codingPath),
        attempt {
          try inherited.container(keyedBy: AnyKey.self).decode(String.self, forKey: AnyKey("x"))
        },
        path(inner.container.codingPath),
        attempt { try inner.container.decode(String.self, forKey: AnyKey("x")) },
        attempt { try inner.container.decode([Int].self, forKey: AnyKey("list")) },
      ]
    }

    static let expected = [
      "/", "1", "[10, 20, 30]", "typeMismatch(String) /list", "1", "20", "30",
      "valueNotFound(Int) /list/Index 3[3]",
      "/inner", "text that is longer than fifteen bytes", "/inner",
      "text that is longer than fifteen bytes",
      "typeMismatch(Int) /inner/list/Index 1[1]",
    ]
  }

  @Test("Kept decoders read their own document after many other documents", arguments: Side.allCases)
  func later(side: Side) throws {
    let keepers = try (0..<20).map { _ in try side.decode(Keeper.self, Self.document) }
    for count in 0..<1000 { _ = try side.decode([String: Int].self, #"{"another":\#(count)}"#) }
    for keeper in keepers { #expect(keeper.answers() == Keeper.expected) }
  }

  @Test("Kept decoders work on another thread", arguments: Side.allCases)
  func onAnotherThread(side: Side) async throws {
    // Unchecked: the creating thread waits while another thread reads.
    struct HandedOver: @unchecked Sendable { let keeper: Keeper }
    let handed = HandedOver(keeper: try side.decode(Keeper.self, Self.document))
    #expect(await Workers.run(1) { _ in handed.keeper.answers() } == [Keeper.expected])
  }

  @Test("A kept decoder of a nested value stays at the nested value")
  func stay() throws {
    let inner = try Side.ours.decode(Keeper.self, Self.document).inner
    #expect(path(inner.decoder.codingPath) == "/inner")
    #expect(path(inner.single.codingPath) == "/inner")
    #expect(
      try inner.decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue).sorted() == [
        "list", "x",
      ])
    #expect(throws: DecodingError.self) { try inner.single.decode(String.self) }
    // Foundation uses one decoder for all values. After decoding, that decoder is back at the outermost
    // value.
    let other = try Side.foundation.decode(Keeper.self, Self.document).inner
    #expect(path(other.decoder.codingPath) == "/")
  }

  @Test("A weakly found decoder has no enclosing context after the release of the enclosing value")
  func weakReference() throws {
    final class Remembered { weak var place: AnyObject? }
    let key = try #require(CodingUserInfoKey(rawValue: "remembered"))
    struct Inner: Decodable {
      init(from decoder: any Decoder) throws {
        let key = try #require(CodingUserInfoKey(rawValue: "remembered"))
        (decoder.userInfo[key] as? Box<Remembered>)?.value.place = decoder as AnyObject
      }
    }
    struct Outer: Decodable {
      let found: (any Decoder)?
      init(from decoder: any Decoder) throws {
        let key = try #require(CodingUserInfoKey(rawValue: "remembered"))
        let container = try decoder.container(keyedBy: AnyKey.self)
        _ = try container.decode(Inner.self, forKey: AnyKey("inner"))
        found = (decoder.userInfo[key] as? Box<Remembered>)?.value.place as? any Decoder
      }
    }
    // Unchecked: the value stays on this thread.
    struct Box<Value>: @unchecked Sendable { let value: Value }
    var coding = JSONCoding()
    coding.userInfo[key] = Box(value: Remembered())
    let outer = try coding.decode([Outer].self, from: Data(#"[{"inner":{"x":1}}]"#.utf8))[0]
    let decoder = try #require(outer.found)
    #expect(path(decoder.codingPath) == "/")
    #expect(try decoder.container(keyedBy: AnyKey.self).decode(Int.self, forKey: AnyKey("x")) == 1)
  }

  @Test("The description of a kept decoder shows no content")
  func mirror() throws {
    let keeper = try Side.ours.decode(Keeper.self, Self.document)
    #expect(Mirror(reflecting: keeper.decoder).children.isEmpty)
    var text = ""
    dump(keeper.decoder, to: &text)
    #expect(text == "- ErrandJSON.JSONPlace #0\n")
  }

  @Test("Kept decoders outlive the decoded bytes", arguments: Side.allCases)
  func outliveBytes(side: Side) throws {
    var document: Data? = Data(Self.document.utf8)
    let keeper = try side.decode(Keeper.self, #require(document))
    document?.resetBytes(in: 0..<Self.document.utf8.count)
    document = nil
    #expect(keeper.answers() == Keeper.expected)
  }
}

@Suite("Concurrent decoding") struct ConcurrentDecodingTests {
  @Test("Eight threads with the same coding get the same results as a single thread")
  func same() async {
    let cases = (0..<200).map { Case(seed: 8, index: $0) }
    let coding = JSONCoding.snakeCase.iso8601
    let decode: @Sendable (Int) -> Outcome = { cases[$0].type.decode(coding, cases[$0].document) }
    let alone = await Workers.run(1) { _ in cases.indices.map(decode) }[0]
    let others = await Workers.run(8) { worker in
      (0..<2).flatMap { round in
        cases.indices.map { round.isMultiple(of: 2) ? $0 : ($0 * 7 + worker) % cases.count }
          .filter { decode($0) != alone[$0] }
      }
    }
    // If a dictionary has two faults, either fault may be reported.
    let faults = Set(others.joined()).filter { index in
      !Comparison.varies(than: alone[index]) { decode(index) }
    }
    #expect(faults.map { cases[$0].description } == [])
  }
}
