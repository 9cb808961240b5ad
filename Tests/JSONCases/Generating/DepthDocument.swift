package import Foundation

/// A document with a given number of levels.
package struct DepthDocument: Sendable, CustomStringConvertible {
  package enum Kind: String, CaseIterable, Sendable { case arrays, objects, alternating }
  package enum Layout: String, CaseIterable, Sendable {
    case plain, spaced, unread, ignored, utf16, json5, braceless
  }

  package let kind: Kind
  package let layout: Layout
  /// True if the brackets are closed.
  package let isClosed: Bool
  package let depth: Int

  package init(_ kind: Kind, _ layout: Layout, isClosed: Bool, depth: Int) {
    (self.kind, self.layout, self.isClosed, self.depth) = (kind, layout, isClosed, depth)
  }

  /// Returns all documents of a depth.
  package static func all(depth: Int) -> [DepthDocument] {
    Kind.allCases.flatMap { kind in
      Layout.allCases.flatMap { layout in
        [true, false].map { DepthDocument(kind, layout, isClosed: $0, depth: depth) }
      }
    }
  }

  /// The number of levels that a decoder finds.
  ///
  /// Omitted braces count as one level.
  package var levels: Int {
    switch layout {
    case .plain, .spaced, .utf16, .json5: depth
    case .unread, .ignored, .braceless: depth + 1
    }
  }

  package var settings: CaseSettings {
    var settings = CaseSettings()
    settings.allowsJSON5 = layout == .json5
    settings.assumesTopLevelDictionary = layout == .braceless
    return settings
  }

  package var document: Data {
    switch layout {
    case .plain: Data(nested("").utf8)
    case .spaced: Data((" \n" + nested(" \t\r\n") + "\n").utf8)
    case .unread: Data((#"{"id":1,"unread":"# + nested("") + (isClosed ? "}" : "")).utf8)
    case .ignored:
      Data((#"{"a":[],"ignored":"# + nested("") + (isClosed ? #","id":1,"name":"x"}"# : "")).utf8)
    case .utf16: nested("").data(using: .utf16LittleEndian) ?? Data()
    case .json5: Data(nested("/*[*/").utf8)
    case .braceless: Data((#""id":1,"unread":"# + nested("") + " ").utf8)
    }
  }

  private func nested(_ space: String) -> String {
    var text = ""
    for level in 0..<depth { text += (isArray(level) ? "[" : #"{"items":"#) + space }
    // The innermost object needs a value.
    if isClosed {
      text += isArray(depth - 1) ? "" : "1"
      for level in (0..<depth).reversed() { text += isArray(level) ? "]" : "}" }
    }
    return text
  }

  private func isArray(_ level: Int) -> Bool {
    switch kind {
    case .arrays: true
    case .objects: false
    case .alternating: level.isMultiple(of: 2)
    }
  }

  package var description: String { "\(depth) \(kind), \(layout), \(isClosed ? "closed" : "open")" }

  /// Compares ErrandJSON with Foundation for depths that Foundation supports.
  ///
  /// Deeper documents must be refused.
  package func compare(_ type: CaseType) -> (verdict: Verdict, difference: Difference) {
    let tested = Case(type: type, settings: settings, document: document)
    let ours = tested.ours()
    if levels <= Depth.limit {
      let difference = Difference(tested: tested, foundation: tested.foundation(), ours: ours)
      return (Comparison.judge(difference), difference)
    }
    let isRefused =
      if case .failure(let error) = ours { error.kind == .dataCorrupted } else { false }
    return (
      isRefused ? .refusedAsTooDeep : .acceptedTooDeep,
      Difference(tested: tested, foundation: nil, ours: ours)
    )
  }
}
