/// A ``CachedResponse/variant`` and its parts.
///
/// The text has a line for each request field, `name:=value` or `name:`, then a line of the fixed time and `part`.
struct VariantName: Sendable, Hashable {
  /// The number of variants that a store keeps on one ``shelf`` of a key; the least recently used one goes.
  static let most = 16

  let text: String
  /// The fixed time with its version and scope; empty for responses that are kept by the server's rules.
  ///
  /// A server decides how many variants a shelf gets, and the app how many shelves there are.
  let shelf: String
  /// The text without the values of the request fields: variants of one layout differ in values only.
  let layout: String

  /// Reads a ``CachedResponse/variant``.
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

  /// The name in a line of a request field; `nil` for another line.
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

/// What a store needs to know of a request to find the variants that may answer the request.
struct VariantQuestion: Sendable {
  private let headers: HTTPHeaders
  /// The ``VariantName/shelf`` of the request's policy.
  let shelf: String

  init(_ headers: HTTPHeaders, pin: CachePolicy.Pin?) {
    self.headers = headers
    shelf = pin.map { VariantName(CachedResponse.line(of: $0)).shelf } ?? ""
  }

  /// The variant of the request where the server selects by the same fields as for a stored response.
  func variant(like stored: CachedResponse) -> String {
    stored.variant(of: stored.selectors.map { CacheRules.selector($0.name, in: headers) })
  }

  /// Of the responses on one shelf those that may answer the request, and for each layout without one its last, which tells why
  /// none does.
  func choose(among stored: [(name: VariantName, response: CachedResponse)]) -> [CachedResponse] {
    Dictionary(grouping: stored, by: \.name.layout).values.compactMap { group in
      guard let last = group.last else { return nil }
      let wanted = variant(like: last.response)
      return (group.last { $0.name.text == wanted } ?? last).response
    }
  }
}
