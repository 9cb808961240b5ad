/// A ``CachedResponse/variant`` and its parts.
///
/// The text has a line for each request header, `name:=value` or `name:`. A line for a fixed lifetime and the
/// line `part` may follow.
struct VariantName: Sendable, Hashable {
  /// The maximum number of variants on a ``shelf`` of a key; the least recently used variant is removed.
  static let most = 16

  let text: String
  /// The group within which variants are counted: the version and scope of a fixed lifetime.
  ///
  /// Empty for responses with the server's lifetime. Only the number of variants in a group is limited,
  /// because the server determines that number, and the app determines the number of groups.
  let shelf: String
  /// The text without header values; variants of the same layout differ only in header values.
  let layout: String

  /// Parses a ``CachedResponse/variant``.
  init(_ text: String) {
    self.text = text
    guard !text.isEmpty else {
      (shelf, layout) = ("", "")
      return
    }
    let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
    let names = lines.map(Self.name).prefix { $0 != nil }.compactMap(\.self)
    let others = lines.dropFirst(names.count)
    let pin = others.last.map { $0.elementsEqual("part".utf8) } == true ? others.dropLast() : others
    shelf = Self.text(Array(pin))
    layout = Self.text(names + others)
  }

  /// Returns the header name of a line; `nil` for a line of a different kind.
  private static func name(_ line: Substring.UTF8View) -> Substring.UTF8View? {
    guard let end = line.firstIndex(where: { $0 == 0x3A || $0 == 0x20 }), line[end] == 0x3A else {
      return nil
    }
    return line[..<end]
  }

  private static func text(_ lines: [Substring.UTF8View]) -> String {
    lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
  }
}

/// The facts about a request by which a store finds matching variants.
struct VariantQuestion: Sendable {
  private let headers: HTTPHeaders
  /// The ``VariantName/shelf`` of the request's policy.
  let shelf: String

  init(_ headers: HTTPHeaders, pin: CachePolicy.Pin?) {
    self.headers = headers
    shelf = pin.map { VariantName(CachedResponse.line(of: $0)).shelf } ?? ""
  }

  /// Returns the variant of the request if `Vary` names the same headers as in a stored response.
  func variant(like stored: CachedResponse) -> String {
    stored.variant(of: stored.selectors.map { CacheRules.selector($0.name, in: headers) })
  }

  /// Returns the matching responses on a shelf.
  ///
  /// For a layout without a match, returns the last response of the layout, which explains the miss.
  func choose(among stored: [(name: VariantName, response: CachedResponse)]) -> [CachedResponse] {
    Dictionary(grouping: stored, by: \.name.layout).values.compactMap { group in
      guard let last = group.last else { return nil }
      let wanted = variant(like: last.response)
      return (group.last { $0.name.text == wanted } ?? last).response
    }
  }
}
