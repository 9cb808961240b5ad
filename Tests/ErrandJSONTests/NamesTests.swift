import ErrandJSON
import Foundation
import Testing

@Suite("Names in snake case")
struct NamesTests {
  /// Names whose conversion is not that of letters with an underscore between.
  static let names = [
    "foo_bar", "foo_1", "foo_b1r", "foo_b1_bar", "foo1bar_baz", "a1b_c2d", "_foo", "foo_", "foo__bar",
    "FOO_BAR", "foo_Bar",
    "x_1y", "é_é", "id", "a_b_c_d_e_f_g_h", "sha256_sum", "",
  ]

  @Test("are converted as Foundation converts them, alone and among others", arguments: names)
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

  @Test("of dictionaries stay as they are written, also where they could be converted")
  func dictionaries() throws {
    let text = Data(#"{"user_ids":{"foo_bar":1,"x_1":2,"plain":3}}"#.utf8)
    struct Holder: Decodable { var userIds: [String: Int] }
    #expect(
      try JSONCoding.snakeCase.decode(Holder.self, from: text).userIds == [
        "foo_bar": 1, "x_1": 2, "plain": 3,
      ])
  }
}
