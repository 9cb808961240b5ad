import Errand
import Foundation
import Testing

@Suite("Form and query encoding")
struct ParameterEncodingTests {
  @Test("Parameters are written exactly so", arguments: EncodingRow.written)
  func scalars(_ row: EncodingRow) throws { #expect(try row.encoding.encode(row.parameters) == row.text) }

  @Test("Lists are written exactly so", arguments: EncodingRow.lists)
  func lists(_ row: EncodingRow) throws { #expect(try row.encoding.encode(row.parameters) == row.text) }

  @Test("Sorted, nested and escaped text is the same a hundred times")
  func stable() throws {
    let encoding = ParameterEncoding(order: .sorted)
    for _ in 0..<100 {
      let parameters: Parameters = ["b": ["x y", "é"], "a": ["k": "&="]]
      #expect(
        try encoding.encode(parameters) == "a%5Bk%5D=%26%3D&b%5B%5D=x%20y&b%5B%5D=%C3%A9")
    }
  }

  @Test("A number that is not finite is refused by its key", arguments: [Double.infinity, -.infinity, .nan])
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
