/// The parsed form of a ``CachedResponse/variant``.
///
/// The variant has a line for each header of `Vary`: `name:=value`, or `name:` for an absent header.
/// Further lines follow for a fixed lifetime and for a partial response.
struct VariantName: Sendable, Hashable {
  /// The maximum number of stored variants with the same key and ``variantGroup``.
  static let maximumCount = 16

  let text: String
  /// The version and scope of the fixed lifetime; empty without a fixed lifetime.
  let variantGroup: String
  /// The text without the values of headers.
  let layout: String

  init(_ text: String) {
    self.text = text
    guard !text.isEmpty else {
      (variantGroup, layout) = ("", "")
      return
    }
    let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
    let names = lines.map(Self.name).prefix { $0 != nil }.compactMap(\.self)
    let others = lines.dropFirst(names.count)
    let pin = others.last.map { $0.elementsEqual("part".utf8) } == true ? others.dropLast() : others
    variantGroup = Self.text(Array(pin))
    layout = Self.text(names + others)
  }

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

struct VariantQuestion: Sendable {
  private let headers: HTTPHeaders
  let variantGroup: String

  init(_ headers: HTTPHeaders, pin: CachePolicy.Pin?) {
    self.headers = headers
    variantGroup = pin.map { VariantName(CachedResponse.line(of: $0)).variantGroup } ?? ""
  }

  func variant(like stored: CachedResponse) -> String {
    stored.variant(of: stored.selectors.map { CacheRules.selector($0.name, in: headers) })
  }

  /// Returns the last match of each layout.
  ///
  /// Without a match, returns the layout's last response, so that the rules find the reason for the miss.
  func choose(among stored: [(name: VariantName, response: CachedResponse)]) -> [CachedResponse] {
    Dictionary(grouping: stored, by: \.name.layout).values.compactMap { group in
      guard let last = group.last else { return nil }
      let wanted = variant(like: last.response)
      return (group.last { $0.name.text == wanted } ?? last).response
    }
  }
}
