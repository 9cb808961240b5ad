extension Sequence<String> {
  /// The elements as they are listed in a sentence: `a`, `a or b`, `a, b or c`.
  var listedWithOr: String {
    var items = Array(self)
    guard let last = items.popLast() else { return "" }
    return items.isEmpty ? last : "\(items.joined(separator: ", ")) or \(last)"
  }
}
