import ErrandJSON
import Foundation
import Testing

/// Facts about strategies for dates, data and URLs that hold for ErrandJSON and for Foundation.
@Suite("Strategies") struct StrategyFactsTests {
  private struct Dated: Decodable { let d: Date }

  @Test("Invalid dates throw the listed errors", arguments: Side.allCases)
  func dateErrors(side: Side) {
    let numbers: [JSONDecoder.DateDecodingStrategy] = [
      .deferredToDate, .secondsSince1970, .millisecondsSince1970,
    ]
    for strategy in numbers {
      #expect(
        side.result(Dated.self, #"{"d":"x"}"#) { $0.dateDecodingStrategy = strategy }
          == "typeMismatch(Double) /d")
      #expect(
        side.result(Dated.self, #"{"d":1e400}"#) { $0.dateDecodingStrategy = strategy }
          == side.unreadable("/d"))
    }
    for strategy in numbers + [.iso8601, .custom { _ in throw CancellationError() }] {
      #expect(
        side.result(Dated.self, "{}") { $0.dateDecodingStrategy = strategy } == "keyNotFound(d) /")
    }
    for strategy in numbers + [.custom { _ in throw CancellationError() }] {
      #expect(
        side.result(Dated.self, #"{"d":null}"#) { $0.dateDecodingStrategy = strategy }
          == "valueNotFound(Date) /d")
      #expect(side.result([Date?].self, "[null]") { $0.dateDecodingStrategy = strategy } == "[nil]")
    }
    #expect(
      side.result(Dated.self, #"{"d":1}"#) {
        $0.dateDecodingStrategy = .custom {
          throw $0.codingPath.count == 1 ? CancellationError() : CocoaError(.fileNoSuchFile)
        }
      } == "CancellationError()")
  }

  @Test("Numbers decode to the listed dates", arguments: Side.allCases)
  func numbers(side: Side) throws {
    #expect(try side.decode([Date].self, "[1.5]") == [Date(timeIntervalSinceReferenceDate: 1.5)])
    #expect(
      try side.decode([Date].self, "[1.5]") { $0.dateDecodingStrategy = .secondsSince1970 } == [
        Date(timeIntervalSince1970: 1.5)
      ])
    #expect(
      try side.decode([Date].self, "[1500]") { $0.dateDecodingStrategy = .millisecondsSince1970 }
        == [
          Date(timeIntervalSince1970: 1.5)
        ])
  }

  @Test(
    "iso8601 decodes fractions and all kinds of offsets", arguments: Side.allCases,
    [
      ("2026-11-21T10:00:00Z", 1_795_255_200), ("2026-11-21T10:00:00.5Z", 1_795_255_200.5),
      ("2026-11-21T10:00:00+0100", 1_795_251_600),
      ("2026-11-21T10:00:00+01:00", 1_795_251_600), ("2026-11-21T10:00:00+01", 1_795_251_600),
      ("2026-11-21T10:00:00-01:30", 1_795_260_600),
      ("2026-11-21T10:00:00-00:00", 1_795_255_200), ("2026-12-31T23:59:60Z", 1_798_761_600),
      ("2026-11-21T24:00:00Z", 1_795_305_600),
      ("2026-02-30T00:00:00Z", 1_772_409_600), ("2024-02-29T00:00:00Z", 1_709_164_800),
      ("1582-10-10T00:00:00Z", -12_218_860_800),
      ("0001-01-01T00:00:00Z", -62_135_769_600), ("10000-01-01T00:00:00Z", 253_402_300_800),
      ("2026-1-1T00:00:00Z", 1_767_225_600),
      ("2026-11-21t10:00:00Z", nil), ("2026-11-21 10:00:00Z", nil), ("2026-11-21T10:00:00,5Z", nil),
      ("2026-11-21T10:00:00.Z", nil),
      ("2026-11-21T10:00:00", nil), ("2026-11-21T10:00Z", nil), ("2026-11-21", nil),
      ("20261121T100000Z", nil), (" 2026-11-21T10:00:00Z", nil),
      ("2026-13-01T00:00:00Z", nil), ("2026-00-01T00:00:00Z", nil), ("2026-01-32T00:00:00Z", nil),
      ("-2026-11-21T10:00:00Z", nil),
      ("+2026-11-21T10:00:00Z", nil), ("2026-11-21T10:00:00+24:00", nil),
      ("2026-11-21T10:00:00 Z", nil),
      ("", nil), ("Z", nil),
    ] as [(String, Double?)])
  func iso8601(side: Side, date: (text: String, seconds: Double?)) {
    let found = try? side.decode([Date].self, "[\"\(date.text)\"]") {
      $0.dateDecodingStrategy = .iso8601
    }
    #expect(found.map { $0[0].timeIntervalSince1970 } == date.seconds)
  }

  @Test(
    "iso8601 refuses text after a date, which Foundation ignores",
    arguments: ["Z ", "Zx", "ZZ", "Z\\n", "GMT", "UTC"])
  func behind(end: String) {
    let document = "[\"2026-11-21T10:00:00\(end)\"]"
    #expect(
      (try? Side.foundation.decode([Date].self, document) { $0.dateDecodingStrategy = .iso8601 })
        != nil)
    #expect(
      (try? Side.ours.decode([Date].self, document) { $0.dateDecodingStrategy = .iso8601 }) == nil)
  }

  @Test(
    "Base64 is strict, including complete padding", arguments: Side.allCases,
    [
      ("", []), ("AAEC", [0, 1, 2]), ("AA==", [0]), ("AAE=", [0, 1]), (#"\u0041AEC"#, [0, 1, 2]),
      ("AB==", [0]), ("====", [0]),
      ("AA=A", [0, 0]), (#"AA+\/"#, [0, 15, 191]), ("AA=", nil), ("AA", nil), ("A", nil),
      ("=", nil),
      ("A A E C", nil), (#"AAEC\n"#, nil),
      ("AA-_", nil), ("AA==AA==", nil), ("AAEC ", nil), ("é", nil),
    ] as [(String, [UInt8]?)])
  func base64(side: Side, text: (inside: String, bytes: [UInt8]?)) {
    let document = "{\"k\":\"\(text.inside)\"}"
    if let bytes = text.bytes {
      #expect((try? side.decode([String: Data].self, document)) == ["k": Data(bytes)])
    } else {
      #expect(side.result([String: Data].self, document) == "dataCorrupted /k")
    }
  }

  @Test("Invalid data throws the listed errors", arguments: Side.allCases)
  func byteErrors(side: Side) {
    #expect(side.result([Data].self, "[1]") == "typeMismatch(String) /Index 0[0]")
    #expect(side.result([Data].self, "[null]") == "valueNotFound(Data) /Index 0[0]")
    func deferred(_ text: String) -> String {
      side.result([Data].self, text) { $0.dataDecodingStrategy = .deferredToData }
    }
    #expect(deferred("[[1,2]]") == "[2 bytes]")
    #expect(deferred("[[1,256]]") == side.unreadable("/Index 0[0]/Index 1[1]"))
    #expect(deferred(#"["AA=="]"#) == "typeMismatch(Array<Any>) /Index 0[0]")
    #expect(deferred("[null]") == "valueNotFound(Data) /Index 0[0]")
  }

  @Test("URLs decode as in Foundation", arguments: Side.allCases)
  func links(side: Side) {
    #expect(
      side.result([URL].self, #"["http:\/\/x.y/z?q=1","a b","http://[::1]"]"#)
        == "[http://x.y/z?q=1, a%20b, http://[::1]]")
    for text in ["", "http://[", "http://a b", "1:2"] {
      #expect(side.result([String: URL].self, "{\"k\":\"\(text)\"}") == "dataCorrupted /k")
    }
    #expect(side.result([URL].self, "[1]") == "typeMismatch(String) /Index 0[0]")
    #expect(side.result([URL].self, "[null]") == "valueNotFound(URL) /Index 0[0]")
  }

  @Test(
    "Key strategies are called for every name in order, with the path of converted names",
    arguments: Side.allCases)
  func customKeys(side: Side) throws {
    // Unchecked: one decoding runs on one thread.
    final class Asked: @unchecked Sendable { var paths: [String] = [] }
    struct Inner: Decodable { let b2: Int }
    struct Outer: Decodable { let a2: Inner, l2: [Inner], d2: [String: Int] }
    let asked = Asked()
    let document = #"{"a":{"b":1,"b":2},"l":[{"b":3}],"d":{"e":4}}"#
    let outer = try side.decode(Outer.self, document) {
      $0.keyDecodingStrategy = .custom { keys in
        asked.paths.append(path(keys))
        return AnyKey(keys[keys.count - 1].stringValue + "2")
      }
    }
    #expect(outer.a2.b2 == 1 && outer.l2.map(\.b2) == [3] && outer.d2 == ["e": 4])
    #expect(asked.paths == ["/a", "/l", "/d", "/a2/b", "/a2/b", "/l2/Index 0[0]/b"])
  }
}
