import Foundation

extension StringProtocol {
  /// Returns true if both texts have the same UTF-8 bytes.
  ///
  /// Unlike `==`, distinguishes a precomposed `é` from an `e` with a combining accent.
  func isWritten(as other: some StringProtocol) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }

  /// Returns true if the text starts with the bytes of `start`.
  ///
  /// `hasPrefix` compares characters, and CR LF is a single character.
  func begins(with start: some StringProtocol) -> Bool { utf8.starts(with: start.utf8) }

  func ends(with end: some StringProtocol) -> Bool {
    utf8.count >= end.utf8.count && utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
  }

  func has(_ part: some StringProtocol) -> Bool {
    part.isEmpty || Data(utf8).range(of: Data(part.utf8)) != nil
  }
}

extension String {
  /// Returns true if both texts have the same UTF-8 bytes; faster than the generic method.
  func isWritten(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    var (own, other) = (self, other)
    return own.withUTF8 { own in other.withUTF8 { own.elementsEqual($0) } }
  }
}

struct ExactText: Sendable, Hashable, Comparable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (one: ExactText, other: ExactText) -> Bool { one.text.isWritten(as: other.text) }

  static func < (one: ExactText, other: ExactText) -> Bool {
    one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xFF as UInt8)
  }
}

/// An item of a query or a URL-encoded form.
///
/// The text is split before decoding, so an encoded `&` or `=` is not a separator.
struct QueryItem: Sendable, Hashable, Comparable {
  let name: ExactText
  /// The decoded value, or the value with its escapes if decoding fails; `nil` for an item without `=`.
  let value: ExactText?

  init(_ written: Substring, plusIsBlank: Bool = false) {
    let name = written.utf8.prefix { $0 != UInt8(ascii: "=") }
    self.name = Self.decoded(name, plusIsBlank: plusIsBlank)
    let rest = written.utf8[name.endIndex...]
    value = rest.isEmpty ? nil : Self.decoded(rest.dropFirst(), plusIsBlank: plusIsBlank)
  }

  private static func decoded(_ written: Substring.UTF8View, plusIsBlank: Bool) -> ExactText {
    let plus = UInt8(ascii: "+")
    guard plusIsBlank, written.contains(plus) else {
      return ExactText(RequestTarget.decoded(Substring(written)))
    }
    let blanks = String(decoding: written.map { $0 == plus ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    return ExactText(RequestTarget.decoded(Substring(blanks)))
  }

  static func < (one: QueryItem, other: QueryItem) -> Bool {
    if one.name != other.name { return one.name < other.name }
    guard let value = one.value else { return other.value != nil }
    return other.value.map { value < $0 } ?? false
  }

  static func items(of text: String, plusIsBlank: Bool = false) -> [QueryItem] {
    text.utf8.split(separator: UInt8(ascii: "&")).map {
      QueryItem(Substring($0), plusIsBlank: plusIsBlank)
    }
  }
}
