import Foundation

/// What is known of the bytes of a ``KeptPart``: of what they are the beginning, and what tells whether it is still the same.
///
/// A URL is kept as its sum, as it may have a signature in its query.
struct PartRecord: Codable, Sendable, Equatable {
  /// A strong one, as `If-Range` asks for it (RFC 9110 section 13.1.5).
  let validator: String
  /// Of the whole, in bytes; `nil` where the server did not say it.
  let length: Int64?
  /// The sum of the URL without its query.
  private let place: String
  /// The sum of the URL.
  private let url: String

  init(validator: String, length: Int64?, url: URL) {
    (self.validator, self.length) = (validator, length)
    (place, self.url) = Self.sums(of: url)
  }

  /// Of a response whose body can be asked for in ranges; `nil` for another one (RFC 9110 sections 8.8.3 and 8.8.2.2).
  init?(of head: HTTPResponse, from url: URL) {
    guard head.status == 200, Self.isPlain(head), head.headers["Accept-Ranges"]?.lowercased() != "none",
      let validator = Self.validator(of: head)
    else { return nil }
    let isFramed = !head.headers.contains("Transfer-Encoding")
    let length = isFramed ? head.headers["Content-Length"].flatMap(ContentRange.number) : nil
    self.init(validator: validator, length: length, url: url)
  }

  private static func validator(of head: HTTPResponse) -> String? {
    if let tag = head.headers["ETag"] { return tag.hasPrefix("\"") && tag.count > 2 ? tag : nil }
    guard let modified = head.headers["Last-Modified"], let date = HTTPDate.parse(modified),
      let answered = head.serverDate, answered.timeIntervalSince(date) >= 1
    else { return nil }
    return modified
  }

  private var isTag: Bool { validator.hasPrefix("\"") }

  /// Whether a request of this URL may go on with the bytes, if the server agrees.
  ///
  /// A URL that is signed has another query each time; so a tag counts for whatever query, where the length of the whole is known and can be compared
  /// too: a server may give the files of several queries the same tag. Of dates two files may have the same.
  func belongs(to other: URL) -> Bool {
    let sums = Self.sums(of: other)
    return url == sums.url || isTag && length != nil && place == sums.place
  }

  /// Whether a range is of the same whole.
  func agrees(with head: HTTPResponse, _ range: ContentRange, from other: URL) -> Bool {
    guard Self.isPlain(head) else { return false }
    let isExact = url == Self.sums(of: other).url
    let sent = head.headers[isTag ? "ETag" : "Last-Modified"]
    // A range repeats the tag of the whole (RFC 9110 section 15.3.7); the date it may leave out.
    guard sent == validator || sent == nil && isExact && !isTag else { return false }
    guard let length, let whole = range.length else { return isExact }
    return length == whole
  }

  /// Whether the bytes are as the file has them: a part of what was coded is a part of others.
  static func isPlain(_ head: HTTPResponse) -> Bool {
    head.headers["Content-Encoding"].map { $0.lowercased() == "identity" } ?? true
  }

  private static func sums(of url: URL) -> (place: String, url: String) {
    let text = url.absoluteString.prefix { $0 != "#" }
    return (sum(of: text.prefix { $0 != "?" }), sum(of: text))
  }

  private static func sum(of text: Substring) -> String {
    var sum = RunningSum(.sha256)
    Array(text.utf8).withUnsafeBytes { sum.update($0) }
    return sum.finished().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
