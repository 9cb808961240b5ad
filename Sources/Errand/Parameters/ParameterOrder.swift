import Foundation

/// The order of the elements of sets, and of dictionaries encoded as lists.
///
/// The order does not depend on hash values.
enum ParameterOrder {
  private enum Step {
    case nodes(Parameters.Node, Parameters.Node)
    case keys(String, String)
    case counts(Int, Int)

    var result: ComparisonResult {
      switch self {
      case .nodes(let a, let b): ParameterOrder.order(a, to: b)
      case .keys(let a, let b): ParameterOrder.order(a, to: b)
      case .counts(let a, let b): ParameterOrder.order(a, to: b)
      }
    }

    /// The inner comparisons, in reverse order, because `precedes` takes the last comparison first.
    var inside: [Step] {
      switch self {
      case .nodes(.list(let a), .list(let b)):
        [.counts(a.count, b.count)] + zip(a, b).reversed().map { .nodes($0, $1) }
      case .nodes(.object(let a), .object(let b)):
        [.counts(a.entries.count, b.entries.count)]
          + zip(a.entries, b.entries).reversed().flatMap {
            [.nodes($0.value, $1.value), .keys($0.key, $1.key)]
          }
      default: []
      }
    }
  }

  static func precedes(_ a: Parameters.Node, _ b: Parameters.Node) -> Bool {
    var steps = [Step.nodes(a, b)]
    while let step = steps.popLast() {
      let result = step.result
      if result != .orderedSame { return result == .orderedAscending }
      steps += step.inside
    }
    return false
  }

  private static func order(_ a: Parameters.Node, to b: Parameters.Node) -> ComparisonResult {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): order(a, to: b)
    case (.double(let a), .double(let b)): order(a, to: b)
    case (.decimal(let a), .decimal(let b)): order(a, to: b)
    case (.integer(let a), .decimal(let b)): order(Decimal(a), to: b)
    case (.decimal(let a), .integer(let b)): order(a, to: Decimal(b))
    case (.string(let a), .string(let b)): order(a, to: b)
    case (.secret(let a), .secret(let b)): order(a.reveal(), to: b.reveal())
    case (.string(let a), .secret(let b)): a <= b.reveal() ? .orderedAscending : .orderedDescending
    case (.secret(let a), .string(let b)): a.reveal() < b ? .orderedAscending : .orderedDescending
    case (.bool(let a), .bool(let b)): order(a ? 1 : 0, to: b ? 1 : 0)
    case (.date(let a), .date(let b)): order(a, to: b)
    case (.data(let a), .data(let b)): order(a, to: b)
    case (.file(let a), .file(let b)): order(a, to: b)
    default: order(rank(of: a), to: rank(of: b))
    }
  }

  private static func order(_ a: Parameters.File, to b: Parameters.File) -> ComparisonResult {
    for (a, b) in [(a.name, b.name), (a.type.rawValue, b.type.rawValue)] where a != b {
      return order(a, to: b)
    }
    return switch (a.identity, b.identity) {
    case (.url(let a), .url(let b)): order(a.absoluteString, to: b.absoluteString)
    case (.data(let a), .data(let b)): order(a, to: b)
    case (.body(let a), .body(let b)): order(a, to: b)
    case (.url, _), (.data, .body): .orderedAscending
    case (.data, .url), (.body, _): .orderedDescending
    }
  }

  private static func order(_ a: Data, to b: Data) -> ComparisonResult {
    for (a, b) in zip(a, b) where a != b { return a < b ? .orderedAscending : .orderedDescending }
    return order(a.count, to: b.count)
  }

  private static func order<Value: Comparable>(_ a: Value, to b: Value) -> ComparisonResult {
    a < b ? .orderedAscending : b < a ? .orderedDescending : .orderedSame
  }

  static func rank(of node: Parameters.Node) -> Int {
    switch node {
    case .integer, .decimal: 0
    case .double: 1
    case .string, .secret: 2
    case .date: 3
    case .data: 4
    case .bool: 5
    case .null: 6
    case .list: 7
    case .object: 8
    case .file: 9
    }
  }
}
