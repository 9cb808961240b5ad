import Foundation

/// An intended or unavoidable difference to Foundation.
package struct Allowance: Sendable {
  package let name: String
  package let reason: String
  /// Returns true if the allowance covers a difference.
  ///
  /// Some allowances check that Foundation gives the same result without the detail in question.
  let covers: @Sendable (Difference) -> Bool

  package static let all = [
    placed, markOfUTF32, malformedJSON5, zeroWithExponent, iso8601, zeroWithoutBraces,
  ]

  /// ErrandJSON's error for unreadable data has a coding path.
  static let placed = Allowance(
    name: "an error with its place",
    reason: "Foundation's error has no path where a number does not fit or a text cannot be read; ours has."
  ) { difference in
    guard case .failure(let theirs)? = difference.foundation, case .failure(let ours) = difference.ours else {
      return false
    }
    return theirs.kind == .dataCorrupted && ours.kind == .dataCorrupted && theirs.path.isEmpty
  }

  static let markOfUTF32 = Allowance(
    name: "the mark of UTF-32",
    reason: "Foundation takes the byte order mark FF FE 00 00 of UTF-32 for that of UTF-16."
  ) { difference in
    let document = difference.tested.document
    guard document.starts(with: [0xFF, 0xFE, 0, 0]),
      let text = String(data: document.dropFirst(4), encoding: .utf32LittleEndian)
    else { return false }
    var tested = difference.tested
    tested.document = Data(text.utf8)
    return !Comparison.judge(
      Difference(tested: tested, foundation: tested.foundation(), ours: difference.ours)
    ).isFault
  }

  /// Foundation decodes JSON5, after a check for documents that may end the process.
  static let malformedJSON5 = Allowance(
    name: "malformed numbers in JSON5",
    reason: "Some of them end the process in Foundation, so all are refused, also where nobody reads them."
  ) { difference in
    guard difference.tested.settings.allowsJSON5, case .failure(let ours) = difference.ours else {
      return false
    }
    return ours.kind == .dataCorrupted && ours.path.isEmpty
  }

  /// `0e8` is zero.
  ///
  /// Foundation refuses `0e8` as a Double because of the digits of the exponent.
  static let zeroWithExponent = Allowance(
    name: "a zero with an exponent",
    reason:
      "Foundation takes some of them, such as 0e8 and 0.00e8, for numbers too small for a Double, as it looks at the"
      + " last bytes of a number from behind, and refuses them; 0e-5 and 0e08 it takes for zero, as all are here."
  ) { difference in
    guard let padded = Self.padded(Self.utf8(difference.tested.document)) else { return false }
    var tested = difference.tested
    tested.document = padded
    return !Comparison.judge(
      Difference(tested: tested, foundation: tested.foundation(), ours: difference.ours),
      except: "a zero with an exponent"
    ).isFault
  }

  /// JSONCoding's strategy is stricter: no text may follow a date.
  static let iso8601 = Allowance(
    name: "iso8601 dates",
    reason:
      "Foundation takes any text behind a date, a lower-case z, GMT and UTC; and its error has no key in its path."
  ) { difference in
    let tested = difference.tested
    guard tested.settings.dates == .iso8601 else { return false }
    // Foundation's error for a date has the path of the enclosing value.
    if case .failure(let theirs)? = difference.foundation, case .failure(let ours) = difference.ours,
      theirs.kind == .dataCorrupted, ours.kind == .dataCorrupted,
      // In a dictionary inside a value with converted names, Foundation's error has the path of the value
      // around the dictionary.
      theirs.path[...] == ours.path.dropLast() || theirs.path[...] == ours.path.dropLast(2)
    {
      return true
    }
    let documented = tested.foundation(dates: .custom(CaseSettings.Dates.documented))
    if documented == difference.ours { return true }
    // The error for a date, with and without its key.
    if case .failure(let theirs) = documented, case .failure(let ours) = difference.ours,
      theirs.kind == .dataCorrupted, ours.kind == .dataCorrupted, theirs.path.dropLast() == ours.path[...]
    {
      return true
    }
    // With two invalid dates in a dictionary, either date may be reported first.
    return Comparison.varies(than: documented) {
      tested.foundation(dates: .custom(CaseSettings.Dates.documented))
    }
  }

  static let zeroWithoutBraces = Allowance(
    name: "a zero byte without braces",
    reason: "Where members without braces are read, a zero byte ends the text in Foundation."
  ) { difference in
    guard difference.tested.settings.assumesTopLevelDictionary, case .failure(let ours) = difference.ours
    else {
      return false
    }
    let document = difference.tested.document
    // The text is empty if a UTF-16 byte order mark is followed by half a code unit of zero.
    let isHalfUnit = document.count == 3 && document.last == 0
    return ours.kind == .dataCorrupted && (isHalfUnit || Self.utf8(document).contains(0))
  }

  /// Returns a document in UTF-8.
  static func utf8(_ document: Data) -> Data {
    let marks: [([UInt8], String.Encoding)] = [
      ([0, 0, 0xFE, 0xFF], .utf32BigEndian), ([0xFE, 0xFF], .utf16BigEndian),
      ([0xFF, 0xFE], .utf16LittleEndian),
    ]
    let zeros = document.prefix(4).map { $0 == 0 }
    let (mark, encoding): (Int, String.Encoding) =
      if let (mark, encoding) = marks.first(where: { document.starts(with: $0.0) }) {
        (mark.count, encoding)
      } else {
        switch zeros {
        case [true, true, true, false]: (0, .utf32BigEndian)
        case [false, true, true, true]: (0, .utf32LittleEndian)
        case [true, false, true, false], [true, false]: (0, .utf16BigEndian)
        case [false, true, false, true], [false, true]: (0, .utf16LittleEndian)
        default: (0, .utf8)
        }
      }
    return String(data: document.dropFirst(mark), encoding: encoding).map { Data($0.utf8) } ?? document
  }

  /// Returns the document with longer exponents of zeros, so Foundation finds the letter before the digits.
  ///
  /// Returns nil if the document has no such number outside of strings.
  static func padded(_ document: Data) -> Data? {
    var (result, number, didChange) = ([UInt8](), [UInt8](), false)
    var (isInString, isEscaped) = (false, false)
    func flush() {
      if let split = number.firstIndex(where: { $0 | 0x20 == 0x65 }),
        number[..<split].allSatisfy({ "-0.".utf8.contains($0) }), number.count % 4 != 0,
        let digits = number[split...].firstIndex(where: { 0x30...0x39 ~= $0 })
      {
        number.insert(contentsOf: Array(repeating: 0x30, count: 4 - number.count % 4), at: digits)
        didChange = true
      }
      result += number
      number = []
    }
    for byte in document {
      if isInString {
        result.append(byte)
        isInString = byte != 0x22 || isEscaped
        isEscaped = byte == 0x5C && !isEscaped
        continue
      }
      isInString = byte == 0x22
      if 0x30...0x39 ~= byte || "+-.eE".utf8.contains(byte),
        !number.isEmpty || byte == 0x2D || byte == 0x30
      {
        number.append(byte)
      } else {
        flush()
        result.append(byte)
      }
    }
    flush()
    return didChange ? Data(result) : nil
  }
}
