/// How many letters have to change to make one text of another.
package enum EditDistance {
  /// Longer texts are compared by so many letters at their beginnings.
  private static let limit = 64

  package static func between(_ a: String, _ b: String) -> Int {
    let (a, b) = (a.prefix(limit), b.prefix(limit))
    var costs = Array(0...b.count)
    for letter in a {
      var corner = costs[0]
      costs[0] += 1
      for (index, other) in b.enumerated() {
        let together = corner + (letter == other ? 0 : 1)
        corner = costs[index + 1]
        costs[index + 1] = min(together, corner + 1, costs[index] + 1)
      }
    }
    return costs[b.count]
  }
}
