/// Finds faults that may crash Foundation's JSON5 reader on Linux (Swift 6.3).
enum JSON5Text {
  static func fault(in bytes: UnsafeBufferPointer<UInt8>) -> TapeFault? {
    guard StringText.utf8(bytes) != nil else { return TapeFault(.string, at: 0) }
    var (index, depth) = (0, 0)
    let most = JSONDepth.foreignLimit
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        // Foundation's JSON5 reader refuses more than 512 levels, but does not check the stack.
        if depth > most, most < JSONDepth.limit { return TapeFault(.stack, at: index) }
        index += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth -= 1
        index += 1
      case UInt8(ascii: "\""), UInt8(ascii: "'"): index = JSONSpan.endOfString(in: bytes, from: index)
      case UInt8(ascii: "/"): index = JSONSpan.endOfComment(in: bytes, from: index)
      case let byte where isOfWord(byte):
        let end = bytes[index...].firstIndex { !isOfWord($0) } ?? bytes.count
        if beginsNumber(byte), !isNumber(bytes[index..<end]) { return TapeFault(.number, at: index) }
        index = end
      default: index += 1
      }
    }
    return nil
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  private static func beginsNumber(_ byte: UInt8) -> Bool {
    0x30...0x39 ~= byte || [UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-")].contains(byte)
  }

  private static func isNumber(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    var rest = word
    if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    if rest.elementsEqual("Infinity".utf8) || rest.elementsEqual("NaN".utf8) { return true }
    if rest.first == UInt8(ascii: "0"), rest.dropFirst().first.map({ $0 | 0x20 }) == UInt8(ascii: "x") {
      let digits = rest.dropFirst(2)
      return !digits.isEmpty && digits.allSatisfy { StringText.hexDigit($0) != nil }
    }
    let whole = takeDigits(from: &rest)
    var fraction = 0
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = takeDigits(from: &rest)
    }
    guard whole + fraction > 0 else { return false }
    guard let next = rest.first else { return true }
    guard next | 0x20 == UInt8(ascii: "e") else { return false }
    rest.removeFirst()
    if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    return takeDigits(from: &rest) > 0 && rest.isEmpty
  }

  private static func takeDigits(from word: inout Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    let count = word.prefix { 0x30...0x39 ~= $0 }.count
    word.removeFirst(count)
    return count
  }
}
