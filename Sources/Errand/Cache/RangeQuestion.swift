/// The byte range requested by a `Range` field (RFC 9110 section 14.2).
struct RangeQuestion: Sendable {
  private enum Ask: Sendable {
    case from(Int, through: Int?)
    case last(Int)
  }

  /// `nil`: several ranges, another unit, or an unreadable field.
  private let ask: Ask?

  init?(_ headers: HTTPHeaders) {
    guard let field = headers["Range"] else { return nil }
    ask = Self.ask(field)
  }

  var isSingle: Bool { ask != nil }

  private static func ask(_ field: String) -> Ask? {
    let words = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let ends = words[1].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    let (first, last) = (number(ends[0]), number(ends[1]))
    if ends[0].isEmpty { return last.map(Ask.last) }
    guard let first, ends[1].isEmpty || last != nil, first <= last ?? .max else { return nil }
    return .from(first, through: last)
  }

  private static func number(_ digits: Substring) -> Int? {
    guard !digits.isEmpty, let number = ContentRange.number(digits), number < .max else { return nil }
    return Int(exactly: number)
  }

  func bytes(of total: Int?) -> Range<Int>? {
    switch ask {
    case .from(let first, let last):
      if let total, first >= total { return nil }
      guard let end = last.map({ $0 + 1 }) ?? total else { return nil }
      return first..<min(end, total ?? end)
    case .last(let count):
      guard let total, count > 0, total > 0 else { return nil }
      return max(0, total - count)..<total
    case nil: return nil
    }
  }
}
