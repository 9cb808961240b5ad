import Foundation

/// Searches, compares and hashes nested values with loops, because recursion could exhaust the stack.
enum ParameterLevels {
  static func containsScalar(
    in parameters: Parameters, where isWanted: (Parameters.Node) -> Bool
  ) -> Bool {
    var rest = parameters.entries.reversed().map { (node: $0.value, level: 1) }
    while let (node, level) = rest.popLast() {
      switch node {
      case .list(let elements) where level < ParameterLimits.depth:
        rest += elements.reversed().map { ($0, level + 1) }
      case .object(let object) where level < ParameterLimits.depth:
        rest += object.entries.reversed().map { ($0.value, level + 1) }
      case .list, .object: break
      default: if isWanted(node) { return true }
      }
    }
    return false
  }

  static func areEqual(_ a: Parameters.Node, to b: Parameters.Node) -> Bool {
    var pairs: [(Parameters.Node, Parameters.Node)] = []
    var pair = (a, b)
    while true {
      switch pair {
      case (.list(let a), .list(let b)):
        guard a.count == b.count else { return false }
        pairs += zip(a, b)
      case (.object(let a), .object(let b)):
        guard a.entries.elementsEqual(b.entries, by: { $0.key == $1.key }) else { return false }
        pairs += zip(a.entries, b.entries).map { ($0.value, $1.value) }
      case (let a, let b): guard areSame(a, as: b) else { return false }
      }
      guard let next = pairs.popLast() else { return true }
      pair = next
    }
  }

  private static func areSame(_ a: Parameters.Node, as b: Parameters.Node) -> Bool {
    switch (a, b) {
    case (.string(let a), .string(let b)): a == b
    case (.secret(let a), .secret(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    case (.decimal(let a), .decimal(let b)): a == b
    case (.bool(let a), .bool(let b)): a == b
    case (.date(let a), .date(let b)): a == b
    case (.data(let a), .data(let b)): a == b
    case (.file(let a), .file(let b)): a == b
    case (.null, .null): true
    default: false
    }
  }

  static func hash(_ node: Parameters.Node, into hasher: inout Hasher) {
    var nodes = [node]
    while let node = nodes.popLast() {
      hasher.combine(ParameterOrder.rank(of: node))
      switch node {
      case .string(let text): hasher.combine(text)
      case .secret(let secret): hasher.combine(secret)
      case .integer(let number): hasher.combine(number)
      case .double(let number): hasher.combine(number)
      case .decimal(let number): hasher.combine(number)
      case .bool(let flag): hasher.combine(flag)
      case .date(let date): hasher.combine(date)
      case .data(let data): hasher.combine(data)
      case .file(let file): hasher.combine(file)
      case .null: break
      case .list(let elements):
        hasher.combine(elements.count)
        nodes += elements
      case .object(let object):
        hasher.combine(object.keys)
        nodes += object.entries.map(\.value)
      }
    }
  }
}

extension Parameters {
  var hasFile: Bool { ParameterLevels.containsScalar(in: self, where: \.isFile) }
}

extension Parameters.Node: Hashable {
  /// Compares keys, values and order on every level.
  public static func == (a: Parameters.Node, b: Parameters.Node) -> Bool {
    ParameterLevels.areEqual(a, to: b)
  }

  /// Hashes keys and values of every level.
  public func hash(into hasher: inout Hasher) { ParameterLevels.hash(self, into: &hasher) }
}
