import ErrandJSON
import Foundation
import Testing

/// Facts about the decoding of numbers that hold for ErrandJSON and for Foundation.
@Suite("Numbers") struct NumberFactsTests {
  private static let integers: [(text: String, int: Int?, small: Int8?, unsigned: UInt64?)] = [
    ("34.0", 34, 34, 34), ("1e2", 100, 100, 100), ("1E+2", 100, 100, 100), ("10e-1", 1, 1, 1),
    ("0e8", 0, 0, 0), ("-0", 0, 0, 0),
    ("-0.0", 0, 0, 0), ("15e-1", nil, nil, nil), ("0.5", nil, nil, nil), ("127", 127, 127, 127),
    ("128", 128, nil, 128),
    ("128.0", 128, nil, 128), ("-128.0", -128, -128, nil), ("-1", -1, -1, nil),
    ("1.0000000000000001", 1, 1, 1),
    ("0.99999999999999999", 1, 1, 1), ("1e-400", 0, 0, 0),
    ("9007199254740993.0", 9_007_199_254_740_993, nil, 9_007_199_254_740_993),
    ("9007199254740992.5", 9_007_199_254_740_992, nil, 9_007_199_254_740_992),
    ("9223372036854775807", .max, nil, 9_223_372_036_854_775_807),
    ("9223372036854775808", nil, nil, 9_223_372_036_854_775_808),
    ("9223372036854775807.0", nil, nil, 9_223_372_036_854_775_807),
    ("9223372036854774784.0", 9_223_372_036_854_774_784, nil, 9_223_372_036_854_774_784),
    ("-9223372036854775808", .min, nil, nil),
    ("-9223372036854775808.0", nil, nil, nil), ("-9223372036854775809", nil, nil, nil),
    ("18446744073709551615", nil, nil, .max),
    ("18446744073709551616", nil, nil, nil), ("18446744073709551615.0", nil, nil, nil),
    ("1e18", 1_000_000_000_000_000_000, nil, 1_000_000_000_000_000_000),
    ("1e19", nil, nil, 10_000_000_000_000_000_000), ("1e20", nil, nil, nil),
    ("1e400", nil, nil, nil),
    ("1e99999999999999999999", nil, nil, nil),
    ("00", nil, nil, nil), ("01", nil, nil, nil), ("-", nil, nil, nil), ("1.", nil, nil, nil),
    ("1.e5", nil, nil, nil), ("1e", nil, nil, nil),
    ("1e+", nil, nil, nil), ("1e5e5", nil, nil, nil), ("1.2.3", nil, nil, nil),
    ("1-2", nil, nil, nil),
    ("--1", nil, nil, nil),
  ]

  @Test("Whole numbers within the range decode as integers", arguments: Side.allCases, integers.indices)
  func whole(side: Side, index: Int) {
    let number = Self.integers[index]
    #expect((try? side.decode([Int].self, "[\(number.text)]")) == number.int.map { [$0] })
    #expect((try? side.decode([Int64].self, "[\(number.text)]")) == number.int.map { [Int64($0)] })
    #expect((try? side.decode([Int8].self, "[\(number.text)]")) == number.small.map { [$0] })
    #expect((try? side.decode([UInt64].self, "[\(number.text)]")) == number.unsigned.map { [$0] })
    #expect((try? side.decode(Int.self, number.text)) == number.int)
    if number.int == nil {
      #expect(side.result([[Int]].self, "[[\(number.text)]]") == side.unreadable("/Index 0[0]/Index 0[0]"))
    }
  }

  @Test("128-bit integers decode without an exponent", arguments: Side.allCases)
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func wide(side: Side) {
    let most = "170141183460469231731687303715884105727"
    #expect(
      side.result([Int128].self, "[\(most),-1,34.0,1e18]")
        == "[\(most), -1, 34, 1000000000000000000]")
    #expect(
      side.result([UInt128].self, "[340282366920938463463374607431768211455]")
        == "[340282366920938463463374607431768211455]")
    for text in ["170141183460469231731687303715884105728", "1e20", "1e30", "1.5"] {
      #expect(side.result([Int128].self, "[\(text)]") == side.unreadable("/Index 0[0]"))
    }
  }

  @Test(
    "Numbers decode to the nearest Double and Float, or fail outside of the range",
    arguments: Side.allCases,
    [
      ("0.1", 0.1, 0.1), ("1e23", 1e23, 1e23), ("5e-324", .leastNonzeroMagnitude, nil),
      ("2.4703282292062328e-324", .leastNonzeroMagnitude, nil),
      ("2e-324", nil, nil), ("2.4703282292062327208e-324", nil, nil),
      ("1.7976931348623157e308", .greatestFiniteMagnitude, nil),
      ("1.7976931348623159e308", nil, nil), ("1e400", nil, nil), ("-1e400", nil, nil),
      ("1e-400", nil, nil),
      ("1e39", 1e39, nil),
      ("3.4028235e38", 3.4028235e38, .greatestFiniteMagnitude), ("3.4028236e38", 3.4028236e38, nil),
      ("1e-46", 1e-46, nil),
      ("1e-45", 1e-45, .leastNonzeroMagnitude),
      ("2.2250738585072011e-308", .leastNormalMagnitude.nextDown, nil), ("0.0", 0, 0),
      ("0e-5", 0, 0), ("-0e8", -0.0, -0.0),
      ("9007199254740993", 9_007_199_254_740_992, 9_007_199_254_740_992),
      ("16777217", 16_777_217, 16_777_216),
      ("1.00000005960464477540", 1.00000005960464477540, 1.0000001),
      ("123456789012345678901234567890", 1.2345678901234568e29, 1.2345679e29),
    ] as [(String, Double?, Float?)])
  func floats(side: Side, number: (text: String, double: Double?, float: Float?)) {
    let double = try? side.decode([Double].self, "[\(number.text)]")
    #expect(double.map { $0[0].bitPattern } == number.double.map(\.bitPattern))
    let float = try? side.decode([Float].self, "[\(number.text)]")
    #expect(float.map { $0[0].bitPattern } == number.float.map(\.bitPattern))
  }

  @Test(
    "Zero with any exponent is zero, also in forms that Foundation refuses",
    arguments: [
      "0e8", "0E8", "0.00e8", "0.000e8", "-0.0e9",
    ])
  func zeros(text: String) throws {
    #expect((try? Side.foundation.decode([Double].self, "[\(text)]")) == nil)
    #expect(try Side.ours.decode([Double].self, "[\(text)]") == [0])
  }

  @Test("Decimals have 38 digits and more, with further digits truncated", arguments: Side.allCases)
  func decimals(side: Side) {
    func decimal(_ text: String) -> String { side.result([Decimal].self, "[\(text)]") }
    #expect(decimal("1.10") == "[1.1]")
    #expect(decimal("9007199254740992.5") == "[9007199254740992.5]")
    #expect(
      decimal("0.1234567890123456789012345678901234567890123456789")
        == "[0.123456789012345678901234567890123456789]")
    #expect(
      decimal("1234567890123456789012345678901234567890.5")
        == "[1234567890123456789012345678901234567890]")
    #expect(decimal("1e127") == "[1\(String(repeating: "0", count: 127))]")
    for text in ["1e128", "1e-129", "0e99999", "1e400", "01", "1."] {
      #expect(decimal(text) == side.unreadable("/Index 0[0]"))
    }
    #expect(decimal("\"1\"") == "typeMismatch(Decimal) /Index 0[0]")
    #expect(decimal("null") == "valueNotFound(Decimal) /Index 0[0]")
  }

  @Test("The strategy's words for NaN and infinity are decoded, without escapes", arguments: Side.allCases)
  func words(side: Side) {
    func result<Value: Decodable>(_ type: Value.Type, _ text: String) -> String {
      side.result(type, text) {
        $0.nonConformingFloatDecodingStrategy = .convertFromString(
          positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        $0.dateDecodingStrategy = .secondsSince1970
      }
    }
    #expect(result([Double].self, #"["inf","-inf","nan",1]"#) == "[inf, -inf, nan, 1.0]")
    #expect(result([Float].self, #"["inf"]"#) == "[inf]")
    #expect(result([Double].self, #"["in\u0066"]"#) == "typeMismatch(Double) /Index 0[0]")
    #expect(result([Double].self, #"["NaN"]"#) == "typeMismatch(Double) /Index 0[0]")
    #expect(result([Double].self, "[1e400]") == side.unreadable("/Index 0[0]"))
    #expect(result([Decimal].self, #"["inf"]"#) == "typeMismatch(Decimal) /Index 0[0]")
    #expect(!result([Date].self, #"["inf"]"#).contains("typeMismatch"))
    #expect(side.result([Double].self, #"["inf"]"#) == "typeMismatch(Double) /Index 0[0]")
  }
}
