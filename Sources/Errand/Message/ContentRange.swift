/// Which bytes of a whole a response has, by its `Content-Range` (RFC 9110 section 14.4).
struct ContentRange: Sendable, Equatable {
  /// The first byte, counted from zero.
  let first: Int64
  /// The last byte, which belongs to the range.
  let last: Int64
  /// Of the whole; `nil` where the server does not say it.
  let length: Int64?

  /// The number of bytes of the range.
  var count: Int64 { last - first + 1 }

  /// Whether these are all bytes.
  var isWhole: Bool { first == 0 && length == last + 1 }

  /// `nil` for a response without one, for one that is not in bytes, and for one that contradicts itself.
  init?(of head: HTTPResponse) {
    guard let field = head.headers["Content-Range"] else { return nil }
    let words = field.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, ends.count == 2, let first = Self.number(ends[0]),
      let last = Self.number(ends[1]),
      first <= last, last < .max
    else { return nil }
    (self.first, self.last) = (first, last)
    if parts[1] == "*" {
      length = nil
    } else {
      guard let length = Self.number(parts[1]), last < length else { return nil }
      self.length = length
    }
  }

  /// Digits alone, as `Int64` would take a sign too.
  static func number(_ digits: some StringProtocol) -> Int64? {
    digits.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int64(digits) : nil
  }
}

extension ContentRange: CustomStringConvertible {
  /// The value of the field: `bytes 0-499/1234`.
  var description: String { "bytes \(first)-\(last)/\(length.map(String.init) ?? "*")" }
}
