import Errand

/// The path of a stub: names between slashes, some of them wildcards.
final class PathPattern: Sendable, CustomStringConvertible {
  private enum Part: Sendable, Equatable {
    case name(String)
    /// `*`: one whole component.
    case one
    /// `**`: any number of components.
    case many
    /// `x*` at the end: a component that begins so, and any rest.
    case rest(String)

    var isName: Bool { if case .name = self { true } else { false } }
    var isRest: Bool { if case .rest = self { true } else { false } }

    /// Whether it may stand for the component, and what follows it aside.
    func matches(_ component: String) -> Bool { distance(to: component) == 0 }

    /// How much of the component would have to be other; 0 when it matches.
    func distance(to component: String) -> Int {
      switch self {
      case .name(let name): name == component ? 0 : EditDistance.between(name, component)
      case .one: component.isEmpty ? 1 : 0
      case .many: 0
      case .rest(let start):
        component.hasPrefix(start) ? 0 : EditDistance.between(start, String(component.prefix(start.count)))
      }
    }
  }

  /// The path as it was written, with its leading slash.
  private let text: String
  /// The names, decoded, when there is no wildcard among them.
  private let names: [String]?
  private let parts: [Part]

  init(_ text: String) {
    self.text = text
    let written = text.split(separator: "/", omittingEmptySubsequences: false)
    parts = written.indices.map { Self.part(written[$0], isLast: $0 == written.count - 1) }
    names = parts.allSatisfy(\.isName) ? RequestTarget.components(of: text) : nil
  }

  /// The path; one that begins anywhere has no slash before it.
  var description: String { String(parts.dropFirst().first == .many ? text.dropFirst() : text[...]) }

  func matches(_ place: RequestTarget) -> Bool {
    guard let names else { return Self.matches(parts[...], place.components[...]) }
    // Most are written alike, and need not be decoded.
    return place.path == text || place.components == names
  }

  private static func part(_ written: Substring, isLast: Bool) -> Part {
    switch written {
    case "**": .many
    case "*" where !isLast: .one
    case _ where isLast && written.hasSuffix("*"): .rest(RequestTarget.decoded(written.dropLast()))
    default: .name(RequestTarget.decoded(written))
    }
  }

  private static func matches(_ parts: ArraySlice<Part>, _ path: ArraySlice<String>) -> Bool {
    guard let part = parts.first else { return path.isEmpty }
    let others = parts.dropFirst()
    if part == .many { return (0...path.count).contains { matches(others, path.dropFirst($0)) } }
    guard let name = path.first, part.matches(name) else { return false }
    return part.isRest || matches(others, path.dropFirst())
  }
}

extension PathPattern {
  /// What a component costs that is missing, or there too much.
  private static let gap = 12

  /// How far a path is from this one: what of its components would have to be other, missing or more.
  func distance(to place: RequestTarget) -> Int {
    let path = place.components
    var costs = (0...path.count).map { $0 * Self.gap }
    for part in parts {
      let above = costs
      costs[0] = above[0] + (part == .many ? 0 : Self.gap)
      for (index, component) in path.enumerated() {
        let together = above[index] + min(part.distance(to: component), Self.gap)
        let skipped = costs[index] + (part == .many || part.isRest ? 0 : Self.gap)
        costs[index + 1] = min(together, skipped, above[index + 1] + (part == .many ? 0 : Self.gap))
      }
    }
    return costs[path.count]
  }
}
