import Errand

/// What is asked of the values that stand under a name.
enum WantedValue: Sendable {
  case equal(String)
  case present, absent

  /// What differs, as the end of a sentence about the name; `nil` when the values are as wanted.
  func difference(of values: [String], named name: String, _ shown: Shown) -> String? {
    let found = values.isEmpty ? "missing" : values.map { shown.value($0, of: name) }.joined(separator: ", ")
    return switch self {
    case .equal(let value): values.contains(value) ? nil : "is \(found), not \(shown.value(value, of: name))"
    case .present: values.isEmpty ? "is missing" : nil
    case .absent: values.isEmpty ? nil : "is \(found), not missing"
    }
  }
}
