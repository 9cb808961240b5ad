import Foundation

extension StringProtocol {
  /// Whether another text is the same to the last byte.
  ///
  /// Strings are equal as soon as they look alike: `é` is `e` with an accent behind it. A server would not take one for the other.
  func isWritten(as other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }

  /// Whether it begins with these bytes; those of a `String` look at whole characters, of which CR LF is one.
  func begins(with start: some StringProtocol) -> Bool { utf8.starts(with: start.utf8) }

  /// The same of its end.
  func ends(with end: some StringProtocol) -> Bool {
    utf8.count >= end.utf8.count && utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
  }

  /// The same of any place in it.
  func has(_ part: some StringProtocol) -> Bool {
    part.isEmpty || Data(utf8).range(of: Data(part.utf8)) != nil
  }
}

/// A text that is equal to another only where it has the same bytes.
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

/// An item of a query or a form, decoded after it was taken apart, so that an encoded `&` or `=` stays inside.
struct QueryItem: Sendable, Hashable, Comparable {
  let name: ExactText
  /// `nil` where there is no `=`.
  let value: ExactText?

  /// - Parameters:
  ///   - written: the item as it stands between two `&`.
  ///   - plusIsBlank: whether a `+` stands for a blank, as it does in a form (WHATWG URL section 5.1).
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

  /// The items of a query or a form.
  static func items(of text: String, plusIsBlank: Bool = false) -> [QueryItem] {
    text.utf8.split(separator: UInt8(ascii: "&")).map {
      QueryItem(Substring($0), plusIsBlank: plusIsBlank)
    }
  }
}
