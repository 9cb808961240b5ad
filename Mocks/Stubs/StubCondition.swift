import Errand
import Foundation

protocol StubCondition: Sendable {
  /// Returns a text such as `header Accept is missing, not text/plain`; `nil`: the condition is met.
  func difference(in request: ReceivedRequest, _ shown: MessageText) -> String?
}

extension [any StubCondition] {
  func areMet(by request: ReceivedRequest) -> Bool {
    allSatisfy { $0.difference(in: request, .standard) == nil }
  }
}

struct HeaderCondition: StubCondition {
  let name: String
  let wanted: WantedValue

  func difference(in request: ReceivedRequest, _ shown: MessageText) -> String? {
    let values = request.headers.values(for: name)
    return wanted.difference(of: values, named: name, shown).map { "header \(name) \($0)" }
  }
}

struct QueryCondition: StubCondition {
  let name: String
  let wanted: WantedValue

  func difference(in request: ReceivedRequest, _ shown: MessageText) -> String? {
    let values = FormItems(request.query ?? "").values(for: name)
    return wanted.difference(of: values, named: name, shown).map { "query item \(name) \($0)" }
  }
}

struct FormBodyCondition: StubCondition {
  let fields: [(name: String, wanted: TextPattern)]

  func difference(in request: ReceivedRequest, _ shown: MessageText) -> String? {
    let parts = request.parts
    let items = parts.isEmpty ? FormItems(request.text) : FormItems(parts)
    let differences = Dictionary(grouping: fields, by: \.name).sorted { $0.key < $1.key }.compactMap {
      name, fields in
      Self.difference(of: items.values(for: name), from: fields.map(\.wanted), named: name, shown)
        .map { "body field \(name) \($0)" }
    }
    return differences.isEmpty ? nil : differences.joined(separator: "; ")
  }

  private static func difference(
    of values: [String], from patterns: [TextPattern], named name: String, _ shown: MessageText
  ) -> String? {
    if patterns.count == 1 {
      return WantedValue.matching(patterns[0]).difference(of: values, named: name, shown)
    }
    guard !areMet(patterns, by: values) else { return nil }
    let problem = patterns.lazy.compactMap { $0.problem(with: values) { shown.value($0, of: name) } }.first
    if let problem { return "cannot be compared: \(problem)" }
    let wanted = patterns.map { $0.words { text, _ in shown.value(text, of: name) } }
    return "is \(shown.values(values, of: name)), not \(wanted.joined(separator: " and "))"
  }

  /// Returns true if each pattern matches a different value, by bipartite matching.
  private static func areMet(_ patterns: [TextPattern], by values: [String]) -> Bool {
    var owners = [Int?](repeating: nil, count: values.count)
    func finds(_ pattern: Int, besides tried: inout Set<Int>) -> Bool {
      for (index, value) in values.enumerated() where patterns[pattern].matches(value) {
        guard tried.insert(index).inserted else { continue }
        if let owner = owners[index], !finds(owner, besides: &tried) { continue }
        owners[index] = pattern
        return true
      }
      return false
    }
    return patterns.indices.allSatisfy { pattern in
      var tried: Set<Int> = []
      return finds(pattern, besides: &tried)
    }
  }
}

struct VariableCondition: StubCondition {
  let name: String
  let wanted: WantedValue

  func difference(in request: ReceivedRequest, _ shown: MessageText) -> String? {
    let values = request.variables[name].map { [$0] } ?? []
    return wanted.difference(of: values, named: name, shown).map { "path variable \(name) \($0)" }
  }
}

struct CookieCondition: StubCondition {
  let name: String
  let wanted: WantedValue

  func difference(in request: ReceivedRequest, _ shown: MessageText) -> String? {
    let values = request.cookies.filter { $0.name.isWritten(as: name) }.map(\.value)
    // A session cookie may have any name, so every value is hidden.
    return wanted.difference(of: values, named: "Cookie", shown).map { "cookie \(name) \($0)" }
  }
}

struct ClosureCondition: StubCondition {
  let difference: @Sendable (ReceivedRequest) -> String?

  func difference(in request: ReceivedRequest, _ shown: MessageText) -> String? {
    difference(request).map(shown.redaction.text)
  }
}

enum WantedValue: Sendable {
  case matching(TextPattern)
  case present, absent

  static func equal(_ value: String) -> WantedValue { .matching(.equal(value)) }

  /// Returns a predicate such as `is missing`; `nil`: no difference.
  func difference(of values: [String], named name: String, _ shown: MessageText) -> String? {
    switch self {
    case .matching(let pattern):
      values.contains(where: pattern.matches) ? nil : shown.difference(of: values, from: pattern, named: name)
    case .present: values.isEmpty ? "is missing" : nil
    case .absent: values.isEmpty ? nil : "is \(shown.values(values, of: name)), not missing"
    }
  }
}

/// The decoded items of a query or a form; in URL-encoded items, `+` means a space (WHATWG URL section 5.1).
struct FormItems {
  let items: [(name: String, value: String)]

  init(_ text: String) {
    items = QueryItem.items(of: text, plusIsBlank: true).map { ($0.name.text, $0.value?.text ?? "") }
  }

  init(_ parts: [BodyPart]) {
    items = parts.filter { $0.filename == nil }.map { ($0.name ?? "", $0.text) }
  }

  func values(for name: String) -> [String] { items.filter { $0.name.isWritten(as: name) }.map(\.value) }
}
