import ErrandJSON
import Foundation
import Testing

@Suite("Names in snake case")
struct NamesTests {
  /// Names for the conversion, such as names with digits, capital letters, and underscores at the ends or in
  /// a row.
  static let names = [
    "foo_bar", "foo_1", "foo_b1r", "foo_b1_bar", "foo1bar_baz", "a1b_c2d", "_foo", "foo_", "foo__bar",
    "FOO_BAR", "foo_Bar",
    "x_1y", "é_é", "id", "a_b_c_d_e_f_g_h", "sha256_sum", "",
  ]

  @Test("Names are converted as in Foundation, alone and among other names", arguments: names)
  func same(_ name: String) throws {
    struct All: Decodable, Equatable {
      let names: Set<String>
      init(from decoder: any Decoder) throws {
        names = Set(try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue))
      }
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    for text in [#"{"\#(name)":1}"#, #"{"other_name":0,"\#(name)":1,"z":{}}"#] {
      let expected = try decoder.decode(All.self, from: Data(text.utf8))
      #expect(try JSONCoding.snakeCase.decode(All.self, from: Data(text.utf8)) == expected)
    }
  }

  @Test("Names of dictionaries are not converted")
  func dictionaries() throws {
    let text = Data(#"{"user_ids":{"foo_bar":1,"x_1":2,"plain":3}}"#.utf8)
    struct Holder: Decodable { var userIds: [String: Int] }
    #expect(
      try JSONCoding.snakeCase.decode(Holder.self, from: text).userIds == [
        "foo_bar": 1, "x_1": 2, "plain": 3,
      ])
  }

  @Test("Many names are found, and the first of equal names counts", arguments: [0, 190, 200, 5_000])
  func many(_ others: Int) throws {
    struct Members: Decodable {
      let found: [Int?]
      let keys: Int
      init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: AnyKey.self)
        found = try ["kelvin", "K", "e\u{301}", "n0", "n77", "none", "last", ""].map {
          try members.decodeIfPresent(Int.self, forKey: AnyKey($0))
        }
        keys = members.allKeys.count
      }
    }
    let names = (0..<others).map { #""n\#($0)":\#($0),"n\#($0 / 2)":-1,"# }.joined()
    let text = #"{\#(names)"\u212a":1,"K":2,"é":3,"e\u0301":4,"last":5,"last":6,"":7,"":8}"#
    let expected: [Int?] = [nil, 1, 3, others > 0 ? 0 : nil, others > 77 ? 77 : nil, nil, 5, 7]
    for side in Side.allCases {
      let members = try side.decode(Members.self, text)
      #expect(members.found == expected)
      #expect(members.keys == others + 4)
    }
  }

  @Test("A name whose first value is null counts as missing if nulls are dropped")
  func droppedFirst() throws {
    let text = Data(#"{"a":null,"b":1,"a":2,"b":null,"b":3}"#.utf8)
    for coding in [JSONCoding.droppingNulls, .droppingNulls.snakeCase] {
      #expect(try coding.decode([String: Int].self, from: text) == ["b": 1])
    }
  }

  @Test("Deeply nested objects build no coding path")
  func deepNames() throws {
    struct CountedKey: CodingKey {
      nonisolated(unsafe) static var made = 0
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) {
        self.stringValue = stringValue
        Self.made += 1
      }
      init?(intValue: Int) { nil }
    }
    struct Level: Decodable {
      var depth = 0
      init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CountedKey.self)
        depth =
          1 + (try members.decodeIfPresent(Level.self, forKey: CountedKey(stringValue: "é"))?.depth ?? 0)
      }
    }
    let text = String(repeating: #"{"é":"#, count: 100) + "{}" + String(repeating: "}", count: 100)
    #expect(try JSONCoding().decode(Level.self, from: Data(text.utf8)).depth == 101)
    #expect(CountedKey.made == 101)
  }
}
