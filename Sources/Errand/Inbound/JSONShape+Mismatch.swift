extension JSONShape {
  /// The first place where a value does not fit, members judged in the order of their names.
  struct Mismatch: Hashable {
    enum Step: Hashable {
      case member(String)
      case element(Int)
    }

    /// The way from the place up to the root: the last step first, as it is built while judging returns.
    var steps: [Step] = []
    /// `is a string, not an integer`.
    var clause: String

    func inside(_ step: Step) -> Mismatch { Mismatch(steps: steps + [step], clause: clause) }
  }

  /// Where the value does not fit, or `nil` when it does.
  func mismatch(in value: JSONValue) -> Mismatch? {
    switch (self, value) {
    case (.any, _), (.string, .string), (.number, .number), (.bool, .bool), (.null, .null): return nil
    case (.integer, .number(let number)) where number.isInteger: return nil
    case (.optional, .null): return nil
    case (.optional(let shape), _):
      guard let mismatch = shape.mismatch(in: value) else { return nil }
      return mismatch.steps.isEmpty ? unlike(value) : mismatch
    case (.array(let shape), .array(let elements)): return Self.mismatch(in: elements, of: shape)
    case (.object(let members), .object(let values)): return Self.mismatch(in: values, of: members)
    case (.oneOf(let shapes), _): return mismatch(in: value, with: shapes)
    default: return unlike(value)
    }
  }

  private func unlike(_ value: JSONValue) -> Mismatch {
    var seen: Set<String> = []
    let expected = kinds.filter { seen.insert($0).inserted }.listedWithOr
    return Mismatch(clause: "is \(value.kind), not \(expected)")
  }

  private static func mismatch(in elements: [JSONValue], of shape: JSONShape) -> Mismatch? {
    for (index, element) in elements.enumerated() {
      if let mismatch = shape.mismatch(in: element) { return mismatch.inside(.element(index)) }
    }
    return nil
  }

  private static func mismatch(in values: [String: JSONValue], of members: [String: JSONShape]) -> Mismatch? {
    for (name, shape) in members.sorted(by: { $0.key < $1.key }) {
      if let value = values[name] {
        if let mismatch = shape.mismatch(in: value) { return mismatch.inside(.member(name)) }
      } else if !shape.mayBeMissing {
        return Mismatch(steps: [.member(name)], clause: "is missing")
      }
    }
    return nil
  }

  /// Of several shapes, the one that fits best says why: the only one that fits but for something inside.
  private func mismatch(in value: JSONValue, with shapes: [JSONShape]) -> Mismatch? {
    var inside: [Mismatch] = []
    for shape in shapes {
      guard let mismatch = shape.mismatch(in: value) else { return nil }
      if !mismatch.steps.isEmpty { inside.append(mismatch) }
    }
    if inside.count > 1 { return Mismatch(clause: "is \(value.kind) that fits none of its shapes") }
    return inside.first ?? unlike(value)
  }

  private var mayBeMissing: Bool {
    switch self {
    case .optional: true
    case .oneOf(let shapes): shapes.contains(where: \.mayBeMissing)
    default: false
    }
  }
}

extension JSONShape.Mismatch: CustomStringConvertible {
  /// The path from the root `$`, then what is wrong there: `$.items[3].id is a string, not an integer`.
  var description: String {
    let path = steps.reversed().map { step in
      switch step {
      case .element(let index): "[\(index)]"
      case .member(let name) where Self.isPlain(name): ".\(name)"
      case .member(let name): "[\(name.debugDescription)]"
      }
    }
    return "$\(path.joined()) \(clause)"
  }

  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
  }
}
