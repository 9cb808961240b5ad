import Errand

final class PathPattern: Sendable, CustomStringConvertible {
  private let text: String
  private let names: [String]?
  private let parts: [PathPart]
  let hasVariables: Bool
  /// The reason why a malformed path never matches; `nil` for a valid path.
  let problem: String?
  let hint: String?

  init(_ text: String) {
    self.text = text
    let written = RequestTarget.written(text)
    parts = written.indices.map { PathPart(written[$0], isLast: $0 == written.count - 1) }
    names = parts.allSatisfy(\.isName) ? RequestTarget.components(of: text) : nil
    let variables = parts.compactMap(\.variable)
    hasVariables = !variables.isEmpty
    problem = PathVariable.problem(of: variables)
    hint = written.lazy.compactMap(PathVariable.hint).first
  }

  var description: String { String(parts.dropFirst().first == .many ? text.dropFirst() : text[...]) }

  func matches(_ place: inout RequestTarget) -> Bool {
    guard let names else { return problem == nil && matched(place.components) != nil }
    return place.path.isWritten(as: text) || place.components.elementsEqual(names) { $0.isWritten(as: $1) }
  }

  func variables(in place: inout RequestTarget) -> [String: String] {
    guard hasVariables else { return [:] }
    let components = place.components
    guard let matched = matched(components) else { return [:] }
    var values: [String: String] = [:]
    for (part, index) in zip(parts, matched) {
      if let variable = part.variable, let index {
        values[variable.name] = variable.value(in: components[index])
      }
    }
    return values
  }

  /// Returns the index of the matching component for each part except `**`; `nil`: no match.
  ///
  /// After a mismatch, only the most recent `**` takes one more component. Earlier parts already match.
  private func matched(_ path: [String]) -> [Int?]? {
    var places = [Int?](repeating: nil, count: parts.count)
    var (part, component) = (0, 0)
    var retry: (part: Int, component: Int)?
    while component < path.count || part < parts.count {
      if part < parts.count, parts[part] == .many {
        retry = (part, component)
        part += 1
      } else if part < parts.count, component < path.count, parts[part].matches(path[component]) {
        places[part] = component
        if parts[part].isRest { return places }
        (part, component) = (part + 1, component + 1)
      } else if let last = retry, last.component < path.count {
        retry = (last.part, last.component + 1)
        (part, component) = (last.part + 1, last.component + 1)
      } else {
        return nil
      }
    }
    return places
  }
}

extension PathPattern {
  private static let gap = 12
  private static let limit = 32

  func distance(to place: inout RequestTarget) -> Int {
    let path = place.components.prefix(Self.limit)
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

enum PathPart: Sendable, Equatable {
  case name(String)
  /// A nonempty component: `*`, except at the end.
  case one
  /// Any number of components: `**`.
  case many
  /// A component with the prefix, and any further components: `x*` or `*` at the end.
  case rest(String)
  /// A component with the suffix and at least one more byte: `*.png`.
  case ending(String)
  /// A variable for a component or a part of a component: `{id}`.
  case value(PathVariable)

  init(_ written: Substring, isLast: Bool) {
    if let variable = PathVariable(written) {
      self = .value(variable)
      return
    }
    switch written {
    case "**": self = .many
    case "*" where !isLast: self = .one
    case _ where isLast && written.hasSuffix("*"): self = .rest(RequestTarget.decoded(written.dropLast()))
    case _ where written.hasPrefix("*"): self = .ending(RequestTarget.decoded(written.dropFirst()))
    default: self = .name(RequestTarget.decoded(written))
    }
  }

  var isName: Bool { if case .name = self { true } else { false } }
  var isRest: Bool { if case .rest = self { true } else { false } }
  var variable: PathVariable? { if case .value(let variable) = self { variable } else { nil } }

  func matches(_ component: String) -> Bool {
    if case .value(let variable) = self { return variable.value(in: component) != nil }
    return distance(to: component) == 0
  }

  /// Returns 0 for a match, otherwise an edit distance or 1.
  func distance(to component: String) -> Int {
    switch self {
    // Texts of different bytes may have the edit distance 0, such as `é` in two Unicode forms.
    case .name(let name):
      name.isWritten(as: component) ? 0 : max(EditDistance.between(name, component), 1)
    case .one: component.isEmpty ? 1 : 0
    case .many: 0
    case .rest(let start):
      component.begins(with: start)
        ? 0 : max(EditDistance.between(start, String(component.prefix(start.count))), 1)
    case .ending(let end):
      component.utf8.count > end.utf8.count && component.ends(with: end)
        ? 0 : max(EditDistance.between(end, String(component.suffix(end.count))), 1)
    case .value(let variable): variable.value(in: component) == nil ? 1 : 0
    }
  }
}

struct PathVariable: Sendable, Equatable {
  let name: String
  private let type: String?
  private let start: String
  private let end: String

  init?(_ written: Substring) {
    guard let open = written.firstIndex(of: "{"), let close = written[open...].firstIndex(of: "}") else {
      return nil
    }
    let inside = written[written.index(after: open)..<close].split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    name = String(inside[0])
    type = inside.count > 1 ? String(inside[1]) : nil
    start = RequestTarget.decoded(written[..<open])
    end = RequestTarget.decoded(written[written.index(after: close)...])
  }

  func value(in component: String) -> String? {
    guard component.utf8.count > start.utf8.count + end.utf8.count, component.begins(with: start),
      component.ends(with: end)
    else {
      return nil
    }
    let value = Substring(component.utf8.dropFirst(start.utf8.count).dropLast(end.utf8.count))
    guard let type else { return String(value) }
    return Self.types.first { $0.name == type }?.accepts(value) == true ? String(value) : nil
  }

  static func problem(of variables: [PathVariable]) -> String? {
    var names: Set<String> = []
    for variable in variables {
      if variable.name.isEmpty { return "a variable has no name" }
      if !names.insert(variable.name).inserted { return "two variables are named \(variable.name)" }
      if let type = variable.type, !types.contains(where: { $0.name == type }) {
        let known = types.map(\.name).joined(separator: ", ")
        return "the variable \(variable.name) has the unknown type \(type); the known types are \(known)"
      }
      if "\(variable.start)\(variable.end)".contains(where: { $0 == "{" || $0 == "}" }) {
        return "the variable \(variable.name) is not the only variable of its path segment"
      }
    }
    return nil
  }

  static func hint(for written: Substring) -> String? {
    if written.hasPrefix(":"), let first = written.dropFirst().first, first.isLetter || first == "_" {
      return "write the variable as {\(written.dropFirst())}"
    }
    guard let brace = written.firstIndex(of: "{"), !written[brace...].contains("}") else { return nil }
    return "\(written[brace...]) has no closing brace"
  }

  private struct Kind: Sendable {
    let name: String
    let accepts: @Sendable (Substring) -> Bool
  }

  private static let types = [
    Kind(name: "int") { Int($0) != nil },
    Kind(name: "number") { Double($0).map(\.isFinite) == true && $0.allSatisfy { !"xXpP".contains($0) } },
    Kind(name: "uuid") { isUUID($0) },
    Kind(name: "date") { isDate($0) },
    Kind(name: "word") { $0.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" } },
  ]

  /// Returns true for the text of a UUID (RFC 9562 section 4).
  private static func isUUID(_ text: Substring) -> Bool {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12]
      && groups.allSatisfy { $0.allSatisfy { $0.isASCII && $0.isHexDigit } }
  }

  /// Returns true for a full date such as `2026-11-24` (RFC 3339 section 5.6).
  private static func isDate(_ text: Substring) -> Bool {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [4, 2, 2], groups.allSatisfy({ $0.utf8.allSatisfy(isDigit) }) else {
      return false
    }
    let numbers = groups.compactMap { Int($0) }
    guard numbers.count == 3, (1...12).contains(numbers[1]) else { return false }
    let year = numbers[0]
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return (1...lengths[numbers[1] - 1]).contains(numbers[2])
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
