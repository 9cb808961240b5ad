import Foundation

/// The facts that decide whether a download continues a ``KeptPart``.
///
/// The URL is hashed, because its query may contain a signature.
struct PartRecord: Codable, Sendable, Equatable {
  /// The strong validator for `If-Range` (RFC 9110 section 13.1.5).
  let validator: String
  /// The length of the whole file in bytes; `nil` if unknown.
  let length: Int64?
  /// The SHA-256 of the URL without query and fragment.
  private let place: String
  /// The SHA-256 of the URL without fragment.
  private let url: String

  init(validator: String, length: Int64?, url: URL) {
    (self.validator, self.length) = (validator, length)
    (place, self.url) = Self.sums(of: url)
  }

  /// `nil` if a later request cannot safely resume the body (RFC 9110 sections 8.8.3 and 8.8.2.2).
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

  /// Returns true if the record describes the file at `other`.
  ///
  /// If an entity tag and the length are known, the query is ignored, because the query of a signed URL
  /// changes.
  func belongs(to other: URL) -> Bool {
    let sums = Self.sums(of: other)
    return url == sums.url || isTag && length != nil && place == sums.place
  }

  func agrees(with head: HTTPResponse, _ range: ContentRange, from other: URL) -> Bool {
    guard Self.isPlain(head) else { return false }
    let isExact = url == Self.sums(of: other).url
    let sent = head.headers[isTag ? "ETag" : "Last-Modified"]
    // A 206 response repeats the entity tag (RFC 9110 section 15.3.7), but may omit
    // `Last-Modified`.
    guard sent == validator || sent == nil && isExact && !isTag else { return false }
    guard let length, let whole = range.length else { return isExact }
    return length == whole
  }

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
    return sum.digest().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
