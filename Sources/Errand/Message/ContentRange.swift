/// A `Content-Range` (RFC 9110 section 14.4).
struct ContentRange: Sendable, Equatable {
  let first: Int64
  /// Inclusive.
  let last: Int64
  /// The complete length in bytes; `nil` if the server sent `*`.
  let length: Int64?

  var count: Int64 { last - first + 1 }

  var isWhole: Bool { first == 0 && length == last + 1 }

  /// Reads the range of a response; returns `nil` without a usable range, such as for `bytes */100`.
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

  /// Reads digits only, because `Int64(_:)` would also accept a sign.
  static func number(_ digits: some StringProtocol) -> Int64? {
    digits.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int64(digits) : nil
  }
}

extension ContentRange: CustomStringConvertible {
  var description: String { "bytes \(first)-\(last)/\(length.map(String.init) ?? "*")" }
}
