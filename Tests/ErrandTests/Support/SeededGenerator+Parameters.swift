import Errand
import Foundation

extension SeededGenerator {
  mutating func parameters(depth: Int) -> Parameters {
    var parameters: Parameters = [:]
    for _ in 0..<below(5) { parameters[text(upTo: 4)] = node(depth: depth) }
    return parameters
  }

  private mutating func node(depth: Int) -> Parameters.Node {
    switch below(depth > 0 ? 11 : 9) {
    case 0: .string(text(upTo: 8))
    case 1: .integer(Int64(bitPattern: next()) >> Int64(below(64)))
    case 2: .double(finiteDouble())
    case 3: .decimal(Decimal(next()))
    case 4: .bool(below(2) == 0)
    case 5: .null
    case 6: .double(Double(below(1_000)) / 8)
    case 7: .date(Date(timeIntervalSince1970: Double(below(4_000_000_000)) / 2 - 500_000_000))
    case 8: .data(Data(bytes(upTo: 8)))
    case 9: .object(parameters(depth: depth - 1))
    default: .list((0..<below(4)).map { _ in node(depth: depth - 1) })
    }
  }

  private mutating func finiteDouble() -> Double {
    let number = Double(bitPattern: next())
    return number.isFinite ? number : 0
  }
}
