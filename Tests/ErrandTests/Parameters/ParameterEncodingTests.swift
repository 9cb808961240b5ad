import ErrandJSON
import Foundation
import Testing

@testable import Errand

@Suite("Form and query encoding")
struct ParameterEncodingTests {
  @Test("Parameters have the expected text", arguments: EncodingRow.written)
  func scalars(_ row: EncodingRow) throws { #expect(try row.encoding.encode(row.parameters) == row.text) }

  @Test("Lists have the expected text", arguments: EncodingRow.lists)
  func lists(_ row: EncodingRow) throws { #expect(try row.encoding.encode(row.parameters) == row.text) }

  @Test("Every style has the expected text", arguments: EncodingRow.styles)
  func styles(_ row: EncodingRow) throws { #expect(try row.encoding.encode(row.parameters) == row.text) }

  @Test("In part names, styles are the same without percent-encoding")
  func parts() throws {
    let encoding = ParameterEncoding(
      .indexedKeys, .numericBools, .wordNulls, .plusSpaces, .dottedKeys, .secondsSince1970,
      .base64URL)
    let body = RequestBody.multipart(
      [
        "a b": .list("x y", nil, .object(["c": true])), "d": Date(timeIntervalSince1970: 1),
        "e": Data([0xFB]),
      ],
      encoding: encoding, boundary: "B")
    let text = String(decoding: try #require(body.document), as: UTF8.self)
    let lines = text.split(separator: "\r\n").filter { $0 != "--B" && $0 != "--B--" }
    #expect(
      lines == [
        "Content-Disposition: form-data; name=\"a b[0]\"", "x y",
        "Content-Disposition: form-data; name=\"a b[1]\"",
        "null", "Content-Disposition: form-data; name=\"a b[2].c\"", "1",
        "Content-Disposition: form-data; name=\"d\"", "1", "Content-Disposition: form-data; name=\"e\"", "-w",
      ])
  }

  @Test("An encoding equals another with the same styles, and a copy with the same closure")
  func equality() {
    let custom = ParameterEncoding(.dates { _ in "" }, .data { _ in "" })
    let other = ParameterEncoding(.dates { _ in "" }, .data { _ in "" })
    let copy = custom
    #expect(copy == custom && copy.hashValue == custom.hashValue && custom != other)
    #expect(ParameterEncoding(.secondsSince1970) != ParameterEncoding())
    #expect(ParameterEncoding(.base64URL) != ParameterEncoding())
  }

  static let withoutText: [Double] = [
    Double.infinity, -.infinity, .nan, 1e300, -1e300, 1e13, 253_402_300_800, -62_167_219_201,
  ]

  @Test("A date without a text is refused with its key", arguments: withoutText)
  func dateless(_ seconds: Double) throws {
    let refusal = Refusal(
      #"the parameter "a[b c]" is a date outside the years 0 to 9999"#, kind: .encoding
    )
    let parameters: Parameters = ["a": .object(["b c": Date(timeIntervalSince1970: seconds)])]
    for encoding in [ParameterEncoding(), ParameterEncoding(.plusSpaces)] {
      #expect(throws: refusal) { try encoding.encode(parameters) }
    }
    #expect(throws: refusal) { try RequestSerializer.json.encode(parameters) { JSONCoding() } }
    #expect(throws: refusal) { try RequestSerializer.json.encode(parameters) { .iso8601 } }
    guard !seconds.isFinite else { return }
    #expect(throws: refusal) { try ParameterEncoding(.secondsSince1970).encode(parameters) }
  }

  static let ends: [(Double, String)] = [
    (-62_167_219_200, "0000-01-01T00:00:00Z"), (-62_162_035_200.5, "0000-02-29T23:59:59Z"),
    // Foundation uses the Julian calendar before 1582, and RFC 3339 does not.
    (Date.distantPast.timeIntervalSince1970, "0000-12-30T00:00:00Z"),
    (-12_219_379_200, "1582-10-14T00:00:00Z"), (-12_219_292_800, "1582-10-15T00:00:00Z"),
    (-14_825_808_001, "1500-03-10T23:59:59Z"),
    (253_402_300_799, "9999-12-31T23:59:59Z"),
    (-1, "1969-12-31T23:59:59Z"), (-0.5, "1969-12-31T23:59:59Z"), (0, "1970-01-01T00:00:00Z"),
  ]

  @Test("Dates at the ends of the years, and before 1970, have their text", arguments: ends)
  func farDates(_ seconds: Double, _ text: String) throws {
    let parameters: Parameters = ["a": Date(timeIntervalSince1970: seconds)]
    #expect(try ParameterEncoding().encode(parameters).removingPercentEncoding == "a=\(text)")
  }

  @Test("An error of a style's closure is the cause of a refusal that names the key")
  func failing() {
    struct Mishap: Error, Equatable {}
    let encoding = ParameterEncoding(
      .dates { _ in throw Mishap() }, .data { _ in throw Mishap() })
    for value: any ParameterValue in [Date(), Data()] {
      let error = #expect(throws: Refusal.self) { try encoding.encode(["a": .list(1, value)]) }
      #expect(error?.message == #"the parameter "a[]" cannot be written: Mishap()"# && error?.cause is Mishap)
    }
  }

  @Test("Sorted, nested and escaped text is the same in 100 runs")
  func stable() throws {
    let encoding = ParameterEncoding(.sortedKeys)
    for _ in 0..<100 {
      let parameters: Parameters = ["b": ["x y", "é"], "a": ["k": "&="]]
      #expect(
        try encoding.encode(parameters) == "a%5Bk%5D=%26%3D&b%5B%5D=x%20y&b%5B%5D=%C3%A9")
    }
  }

  @Test(
    "A number that is not finite is refused with its key", arguments: [Double.infinity, -.infinity, .nan])
  func notFinite(_ number: Double) {
    let refusal = Refusal(#"the parameter "a[b]" is infinite or not a number"#, kind: .encoding)
    for value: any ParameterValue in [number, Float(number)] {
      #expect(throws: refusal) { try ParameterEncoding().encode(["a": .object(["b": value])]) }
    }
  }

  @Test("Nesting beyond 512 levels is refused")
  func depth() {
    let refusal = Refusal("the parameters are nested deeper than 512 levels", kind: .encoding)
    #expect(throws: refusal) { try ParameterEncoding().encode(nested(600)) }
    #expect(throws: Never.self) { try ParameterEncoding().encode(nested(500)) }
  }

  private func nested(_ levels: Int) -> Parameters {
    var parameters: Parameters = ["a": 1]
    for _ in 0..<levels { parameters = ["a": .object(parameters)] }
    return parameters
  }
}
