import Errand
import Foundation
import Testing

struct EncodingRow: Sendable, CustomTestStringConvertible {
  let parameters: Parameters
  let encoding: ParameterEncoding
  let text: String
  var testDescription: String { text }

  init(_ parameters: Parameters, _ text: String, _ encoding: ParameterEncoding = .init()) {
    (self.parameters, self.text, self.encoding) = (parameters, text, encoding)
  }
}

extension EncodingRow {
  static let written: [EncodingRow] = [
    EncodingRow([:], ""),
    EncodingRow(["a": 1, "b": "x y"], "a=1&b=x%20y"),
    EncodingRow(["b": 1, "a": 2], "b=1&a=2"),
    EncodingRow(
      ["b": 1, "a": .object(["d": 1, "c": 2])], "a%5Bc%5D=2&a%5Bd%5D=1&b=1", .init(.sortedKeys)),
    EncodingRow(["a": .null, "b": ""], "a&b="),
    EncodingRow(["a": true, "b": false], "a=true&b=false"),
    EncodingRow(["a": true, "b": false], "a=1&b=0", .init(.numericBools)),
    EncodingRow(["a": 2.0, "b": 0.1, "c": 1e20, "d": -0.5], "a=2&b=0.1&c=1e%2B20&d=-0.5"),
    EncodingRow(["a": Decimal(string: "1.10")!, "b": UInt64.max], "a=1.1&b=18446744073709551615"),
    EncodingRow(["a": .object(["b": .object(["c": 1])])], "a%5Bb%5D%5Bc%5D=1"),
    EncodingRow(["a": .list(), "b": .object([:]), "c": 1], "c=1"),
    EncodingRow(["&=": "é/?~-._"], "%26%3D=%C3%A9/?~-._"),
    EncodingRow(["": 1, "a": 2], "=1&a=2"),
    EncodingRow(["": .null, "a": .null], "a"),
    EncodingRow(
      ["c": "! * ' ( ) : ; @ & = + $ , / ? % # [ ]"],
      "c=%21%20%2A%20%27%20%28%20%29%20%3A%20%3B%20%40%20%26%20%3D%20%2B%20%24%20%2C%20/%20?%20%25%20%23%20%5B"
        + "%20%5D"),
  ]

  static let lists: [EncodingRow] = [
    EncodingRow(["a": [1, 2]], "a%5B%5D=1&a%5B%5D=2"),
    EncodingRow(["a": [1, 2]], "a=1&a=2", .init(.repeatedKeys)),
    EncodingRow(["a": ["x,y", "é"]], "a=x%2Cy,%C3%A9", .init(.commaSeparatedLists)),
    EncodingRow(["a": .list(1, nil, "")], "a%5B%5D=1&a%5B%5D&a%5B%5D="),
    EncodingRow(["a": .list(1, nil)], "a=1&a", .init(.repeatedKeys)),
    EncodingRow(["a": .list(1, nil, 2)], "a=1,,2", .init(.commaSeparatedLists)),
    EncodingRow(["a": .list()], "", .init(.commaSeparatedLists)),
    EncodingRow(["a": .list(.object(["b": 1, "c": 2]))], "a%5B0%5D%5Bb%5D=1&a%5B0%5D%5Bc%5D=2"),
    EncodingRow(["a": .list("x", .object(["b": 1]))], "a%5B%5D=x&a%5B1%5D%5Bb%5D=1"),
    EncodingRow(["a": .list("x", .object(["b": 1]))], "a=x&a%5B1%5D%5Bb%5D=1", .init(.repeatedKeys)),
    EncodingRow(
      ["a": .list("x", .object(["b": 1]))], "a%5B%5D=x&a%5B1%5D%5Bb%5D=1", .init(.commaSeparatedLists)),
    EncodingRow(["a": [[1, 2], [3]]], "a%5B0%5D%5B%5D=1&a%5B0%5D%5B%5D=2&a%5B1%5D%5B%5D=3"),
    EncodingRow(["a": .object(["b": [1, 2]])], "a%5Bb%5D=1,2", .init(.commaSeparatedLists)),
  ]

  static let date = Date(timeIntervalSince1970: 1_795_255_200.25)

  static let styles: [EncodingRow] = [
    EncodingRow(
      ["a": [1, 2], "b": .list([3], .object(["c": 4]))],
      "a%5B0%5D=1&a%5B1%5D=2&b%5B0%5D%5B0%5D=3&b%5B1%5D%5Bc%5D=4", .init(.indexedKeys)),
    EncodingRow(["a": .list()], "", .init(.indexedKeys)),
    EncodingRow(
      ["a": .list(1, nil, 2), "b": .null], "a%5B%5D=1&a%5B%5D=&a%5B%5D=2&b=", .init(.emptyNulls)),
    EncodingRow(["a": .list(1, nil), "b": .null], "a%5B%5D=1&a%5B%5D=null&b=null", .init(.wordNulls)),
    EncodingRow(
      ["a": .list(1, nil, 2), "b": .null, "": .null], "a%5B%5D=1&a%5B%5D=2", .init(.omittedNulls)),
    EncodingRow(["a": .list(nil, 2)], "a%5B1%5D=2", .init(.indexedKeys, .omittedNulls)),
    EncodingRow(
      ["a": .list(1, nil, 2), "b": .list(nil)], "a=1,2", .init(.commaSeparatedLists, .omittedNulls)),
    EncodingRow(
      ["a": .list(1, nil, 2), "b": .list(nil)], "a=1,null,2&b=null", .init(.commaSeparatedLists, .wordNulls)),
    EncodingRow(["": .null], "=", .init(.emptyNulls)),
    EncodingRow(
      ["a b": "c d+e%20", "f": .object(["g h": 1])], "a+b=c+d%2Be%2520&f%5Bg+h%5D=1", .init(.plusSpaces)),
    EncodingRow(["a": .object(["b": .object(["c": 1])]), "d.e": 2], "a.b.c=1&d.e=2", .init(.dottedKeys)),
    EncodingRow(["a": .list(1, .object(["b": [2]]))], "a%5B%5D=1&a%5B1%5D.b%5B%5D=2", .init(.dottedKeys)),
    EncodingRow(["a[b]&=": .object(["]c[.é=&": 1])], "a%5Bb%5D%26%3D%5B%5Dc%5B.%C3%A9%3D%26%5D=1"),
    EncodingRow(["a": date, "b": [date]], "a=2026-11-21T10%3A00%3A00Z&b%5B%5D=2026-11-21T10%3A00%3A00Z"),
    EncodingRow(["a": date], "a=1795255200.25", .init(.secondsSince1970)),
    EncodingRow(["a": date], "a=1795255200250", .init(.millisecondsSince1970)),
    EncodingRow(
      ["a": date], "a=y%202026%26", .init(.dates { "y \($0.formatted(.iso8601).prefix(4))&" })),
    EncodingRow(["a": Data([0xFB, 0xFF, 0xFE, 0])], "a=%2B//%2BAA%3D%3D"),
    EncodingRow(["a": Data([0xFB, 0xFF, 0xFE, 0])], "a=-__-AA", .init(.base64URL)),
    EncodingRow(["a": Data([1, 2])], "a=2%20bytes", .init(.data { "\($0.count) bytes" })),
  ]
}
