import Foundation

/// The prefixes that servers put before JSON against cross-site script inclusion.
///
/// No valid JSON begins with such a prefix.
enum XSSIPrefix {
  /// The tokens of each prefix; whitespace may precede a token.
  private static let all: [[String]] = [
    [")]}'"], ["while", "(", "1", ")", ";"], ["for", "(", ";", ";", ")", ";"],
  ]
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  static func isIn(_ body: Data) -> Bool { dropped(from: body).count < body.count }

  static func dropped(from body: Data) -> Data {
    let text = body.starts(with: mark) ? body.dropFirst(mark.count) : body
    for tokens in all {
      guard var rest = text.dropping(tokens) else { continue }
      if tokens.count == 1, rest.first == UInt8(ascii: ",") { rest = rest.dropFirst() }
      return Data(rest.drop(while: ASCII.isWhitespace))
    }
    return body
  }
}

extension Data {
  fileprivate func dropping(_ tokens: [String]) -> Data? {
    var rest = self
    for token in tokens {
      rest = rest.drop(while: ASCII.isWhitespace)
      guard rest.starts(with: token.utf8) else { return nil }
      rest = rest.dropFirst(token.utf8.count)
    }
    return rest
  }
}
