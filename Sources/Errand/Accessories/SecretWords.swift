/// The words that the names of secrets have in them, found in one pass by the automaton of Aho and Corasick.
enum SecretWords {
  static let start: UInt8 = 0

  private static let words = [
    "apikey", "accesskey", "privatekey", "authkey", "token", "secret", "password", "passwd", "passphrase",
    "credential", "signature", "session", "sessid", "authorization",
  ]

  /// Letters, and one for all other bytes.
  private static let symbols = 27
  private static let complete = UInt8.max
  /// The next state for each state and symbol.
  private static let table = makeTable()

  /// Takes a byte in lower case; whether it completes a word.
  static func isComplete(_ state: inout UInt8, with byte: UInt8) -> Bool {
    let symbol = (0x61...0x7A).contains(byte) ? Int(byte - 0x61) : 26
    state = table[Int(state) * symbols + symbol]
    return state == complete
  }

  /// A state is a beginning of a word; the next is the longest one that the text then ends in.
  private static func makeTable() -> [UInt8] {
    let beginnings = Set(words.flatMap { word in (0..<word.count).map { String(word.prefix($0)) } }).sorted()
    let numbers = Dictionary(uniqueKeysWithValues: zip(beginnings, UInt8(0)...))
    return beginnings.flatMap { beginning in
      (0..<symbols).map { symbol in
        guard symbol < 26 else { return start }
        var text = Substring(beginning + String(Unicode.Scalar(0x61 + UInt8(symbol))))
        if words.contains(where: { text.hasSuffix($0) }) { return complete }
        while true {
          if let number = numbers[String(text)] { return number }
          text.removeFirst()
        }
      }
    }
  }
}
