import Foundation

/// Numbers as text, the same in JSON, forms and queries.
enum NumberText {
  /// The text of a number node; `nil` when it is not finite or no number.
  static func text(of node: Parameters.Node) -> String? {
    switch node {
    case .integer(let number): String(number)
    case .double(let number): text(of: number)
    case .decimal(let number): number.isFinite ? number.description : nil
    default: nil
    }
  }

  /// The fewest digits that read back as the same number; `2`, not `2.0`.
  private static func text(of number: Double) -> String? {
    guard number.isFinite else { return nil }
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

/// What parameters may not be.
enum ParameterLimits {
  /// Levels of nesting: what JSON parsers take, and far from the end of the stack.
  static let depth = 512

  static let tooDeep = Refusal("the parameters are nested deeper than \(depth) levels", kind: .encoding)

  static func notFinite(_ key: String) -> Refusal {
    Refusal("the parameter \(key.debugDescription) is infinite or not a number", kind: .encoding)
  }
}
