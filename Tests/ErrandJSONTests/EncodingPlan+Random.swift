import Foundation

/// The numbers of SplitMix64, which are reproducible from the seed.
struct SeededNumbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}

extension EncodingPlan {
  static func random(_ depth: Int, _ numbers: inout SeededNumbers) -> EncodingPlan {
    if depth == 0 || Int.random(in: 0..<5, using: &numbers) == 0 { return leaf(&numbers) }
    func members() -> [Member] {
      (0..<Int.random(in: 0..<6, using: &numbers)).map { _ in
        Member(key: key(&numbers), value: random(depth - 1, &numbers))
      }
    }
    func elements() -> [EncodingPlan] {
      (0..<Int.random(in: 0..<6, using: &numbers)).map { _ in random(depth - 1, &numbers) }
    }
    switch Int.random(in: 0..<11, using: &numbers) {
    case 0, 1: return .object(members())
    case 2, 3: return .array(elements())
    case 4: return .nestedObject(members())
    case 5: return .nestedArray(elements())
    case 6: return .interleaved(members())
    case 7: return .inherited(members(), random(depth - 1, &numbers), random(depth - 1, &numbers))
    case 8: return .inheritedArray(elements(), random(depth - 1, &numbers))
    case 9: return .merged(members(), members())
    default:
      return .dictionary(
        Dictionary(members().map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first }))
    }
  }

  static func leaf(_ numbers: inout SeededNumbers) -> EncodingPlan {
    switch Int.random(in: 0..<30, using: &numbers) {
    case 0: .null
    case 1: Int.random(in: 0..<4, using: &numbers) == 0 ? .nothing : .wrapped(.string(""))
    case 2: .bool(.random(using: &numbers))
    case 3: .int(integer(&numbers))
    case 4: .int8(integer(&numbers))
    case 5: .int16(integer(&numbers))
    case 6: .int32(integer(&numbers))
    case 7: .int64(integer(&numbers))
    case 8: .uint(integer(&numbers))
    case 9: .uint8(integer(&numbers))
    case 10: .uint16(integer(&numbers))
    case 11: .uint32(integer(&numbers))
    case 12: .uint64(integer(&numbers))
    case 13, 14: .double(double(&numbers))
    case 15: .float(Float(double(&numbers)))
    case 16: .float(Float(bitPattern: UInt32(truncatingIfNeeded: numbers.next())))
    case 17, 18: .string(text(&numbers))
    case 19: .date(Date(timeIntervalSince1970: .random(in: -1e11...3e11, using: &numbers)))
    case 20:
      .data(
        Data((0..<Int.random(in: 0..<20, using: &numbers)).map { _ in .random(in: 0...255, using: &numbers) })
      )
    case 21: .url(URL(string: "https://example.com/a/\(numbers.next())?b=c#d")!)
    case 22:
      .decimal(
        Decimal(
          sign: .minus, exponent: .random(in: -30...30, using: &numbers), significand: Decimal(numbers.next())
        ))
    case 23: .ints((0..<Int.random(in: 0..<5, using: &numbers)).map { _ in integer(&numbers) })
    case 24: .bytes((0..<Int.random(in: 0..<5, using: &numbers)).map { _ in integer(&numbers) })
    case 25: .strings((0..<Int.random(in: 0..<5, using: &numbers)).map { _ in text(&numbers) })
    case 26: .doubles((0..<Int.random(in: 0..<5, using: &numbers)).map { _ in double(&numbers) })
    case 27: .optionals([1, nil, integer(&numbers)])
    case 28: .intKeys([integer(&numbers): 1])
    default: .wrapped(.wrapped(.bools([.random(using: &numbers), true])))
    }
  }

  static func integer<Integer: FixedWidthInteger>(_ numbers: inout SeededNumbers) -> Integer {
    let value = Integer(truncatingIfNeeded: numbers.next())
    return value >> Integer(truncatingIfNeeded: Int.random(in: 0..<Integer.bitWidth, using: &numbers))
  }

  static func double(_ numbers: inout SeededNumbers) -> Double {
    switch Int.random(in: 0..<12, using: &numbers) {
    case 0: Double(bitPattern: numbers.next())
    case 1: Double(Int.random(in: -1_000...1_000, using: &numbers))
    case 2: Double(numbers.next() >> UInt64.random(in: 0..<64, using: &numbers))
    case 3:
      [0, -0.0, 0.1, 1e-4, 1e22, .greatestFiniteMagnitude, .leastNonzeroMagnitude].randomElement(
        using: &numbers)!
    case 4 where Int.random(in: 0..<40, using: &numbers) == 0:
      [.nan, .infinity, -.infinity].randomElement(using: &numbers)!
    case 5...8:
      Double(Int.random(in: -9_999_999_999...9_999_999_999, using: &numbers))
        / [1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10].randomElement(using: &numbers)!
    default: .random(in: -1_000...1_000, using: &numbers)
    }
  }

  static func key(_ numbers: inout SeededNumbers) -> String {
    let keys = [
      "a", "b", "id", "name", "fullName", "myURLProperty", "isIOS", "HTTPResponse.Status", "_private",
      "with space",
      "10", "9", "A", "Z",
      "aLongerKeyThanEightBytes", "aLongerKeyThanEightByteZ", "caf\u{E9}", "cafe\u{301}", "\u{212A}", "K",
      "a/b", "a\"b", "a\\b",
      "\n", "", "\u{10FFFF}", "\u{FFFD}", "日本", "ÄrgerÖl", "tab\tKey", "\u{0}", "super", "camelCaseKey",
      "camel_case_key",
    ]
    if Int.random(in: 0..<4, using: &numbers) > 0 { return keys.randomElement(using: &numbers)! }
    return text(&numbers)
  }

  static func text(_ numbers: inout SeededNumbers) -> String {
    let parts = [
      "a", "B", "xyz", "/", "\"", "\\", "\n", "\r", "\t", "\u{8}", "\u{C}", "\u{0}", "\u{1F}", "\u{7F}", "é",
      "e\u{301}", "日本", "🚀",
      "👩‍👩‍👧", "\u{2028}", "0123456789", " ", "_", "\r\n", "É", "Ab", "ABC",
    ]
    return (0..<Int.random(in: 0..<12, using: &numbers)).map { _ in parts.randomElement(using: &numbers)! }
      .joined()
  }
}
