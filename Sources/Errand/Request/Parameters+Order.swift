import Foundation

/// The order of a set's elements, which have none of their own: what is sent must not change from run to run.
extension Parameters.Node {
  /// Numbers by value, then text, truth values and null, then lists by their elements and objects by their keys and values.
  static func precedes(_ a: Parameters.Node, _ b: Parameters.Node) -> Bool {
    order(a, b) == .orderedAscending
  }

  private static func order(_ a: Parameters.Node, _ b: Parameters.Node) -> ComparisonResult {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): order(a, b)
    case (.double(let a), .double(let b)): order(a, b)
    case (.decimal(let a), .decimal(let b)): order(a, b)
    case (.integer(let a), .decimal(let b)): order(Decimal(a), b)
    case (.decimal(let a), .integer(let b)): order(a, Decimal(b))
    case (.string(let a), .string(let b)): order(a, b)
    case (.secret(let a), .secret(let b)): order(a.reveal(), b.reveal())
    // Of one text, what is no secret comes first.
    case (.string(let a), .secret(let b)): a <= b.reveal() ? .orderedAscending : .orderedDescending
    case (.secret(let a), .string(let b)): a.reveal() < b ? .orderedAscending : .orderedDescending
    case (.bool(let a), .bool(let b)): order(a ? 1 : 0, b ? 1 : 0)
    case (.list(let a), .list(let b)): order(a, b, by: order)
    case (.object(let a), .object(let b)): order(a.entries, b.entries, by: order)
    default: order(a.rank, b.rank)
    }
  }

  private static func order(_ a: Parameters.Entry, _ b: Parameters.Entry) -> ComparisonResult {
    let keys = order(a.key, b.key)
    return keys == .orderedSame ? order(a.value, b.value) : keys
  }

  /// By the first element that differs; of two that begin alike, the shorter one comes first.
  ///
  /// Each pair is compared once: asking in both directions takes twice the time on every level.
  private static func order<Element>(
    _ a: [Element], _ b: [Element], by order: (Element, Element) -> ComparisonResult
  ) -> ComparisonResult {
    for (a, b) in zip(a, b) {
      let result = order(a, b)
      if result != .orderedSame { return result }
    }
    return self.order(a.count, b.count)
  }

  private static func order<Value: Comparable>(_ a: Value, _ b: Value) -> ComparisonResult {
    a < b ? .orderedAscending : b < a ? .orderedDescending : .orderedSame
  }

  private var rank: Int {
    switch self {
    case .integer, .decimal: 0
    case .double: 1
    case .string, .secret: 2
    case .bool: 3
    case .null: 4
    case .list: 5
    case .object: 6
    }
  }
}
