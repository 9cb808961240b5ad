/// A lenient parser of lists and dictionaries in structured fields (RFC 8941 section 3).
enum StructuredFieldList {
  /// A member of a list or dictionary, such as `"default";r=0;t=30` or `limit=100`.
  struct Member {
    /// The text before the parameters, without enclosing quotes.
    let head: Substring
    /// The parameters by name; the last value of a repeated name counts.
    let parameters: [Substring: Substring]
  }

  /// Returns the members; `nil` for an unclosed quote, or for more than 31 commas outside quotes.
  static func members(of text: String) -> [Member]? {
    guard let pieces = pieces(of: Substring(text), at: 0x2C), pieces.count <= 32 else { return nil }
    var members: [Member] = []
    for piece in pieces where !piece.isEmpty {
      guard let parts = self.pieces(of: piece, at: 0x3B), let head = parts.first else { return nil }
      var parameters: [Substring: Substring] = [:]
      for (name, value) in parts.dropFirst().map(pair) { parameters[name] = value }
      members.append(Member(head: unquoted(head), parameters: parameters))
    }
    return members
  }

  static func pair(_ text: Substring) -> (name: Substring, value: Substring) {
    guard let equals = text.utf8.firstIndex(of: 0x3D) else { return (text, "") }
    return (trimmed(text[..<equals]), trimmed(text[text.utf8.index(after: equals)...]))
  }

  private static func pieces(of text: Substring, at delimiter: UInt8) -> [Substring]? {
    var pieces: [Substring] = []
    var start = text.startIndex
    var (isQuoted, isEscaped) = (false, false)
    for index in text.utf8.indices {
      let byte = text.utf8[index]
      if isEscaped {
        isEscaped = false
      } else if isQuoted, byte == 0x5C {
        isEscaped = true
      } else if byte == 0x22 {
        isQuoted.toggle()
      } else if byte == delimiter, !isQuoted {
        pieces.append(trimmed(text[start..<index]))
        start = text.utf8.index(after: index)
      }
    }
    return isQuoted ? nil : pieces + [trimmed(text[start...])]
  }

  private static func unquoted(_ text: Substring) -> Substring {
    guard text.utf8.count > 1, text.utf8.first == 0x22, text.utf8.last == 0x22 else { return text }
    return text.dropFirst().dropLast()
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let blank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
    let head = text.utf8.drop(while: blank)
    guard let last = head.lastIndex(where: { !blank($0) }) else { return "" }
    return text[head.startIndex...last]
  }
}
