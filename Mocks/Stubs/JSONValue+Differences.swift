import Errand

extension JSONValue {
  /// What of this body is not as wanted, in words with the place, such as `body at tags[0] is 1, not 2`.
  ///
  /// - Parameters:
  ///   - shown: how values are written.
  ///   - path: where this value stands; empty for the whole body.
  ///   - isWhole: whether objects may have no members but the wanted ones, as in an array.
  func differences(
    from wanted: JSONValue, _ shown: Shown, at path: String = "", isWhole: Bool = false
  ) -> [String] {
    switch (self, wanted) {
    case (.object(let own), .object(let others)):
      let names = isWhole ? Set(own.keys).union(others.keys) : Set(others.keys)
      return names.sorted().flatMap { name in
        let place = path.isEmpty ? name : "\(path).\(name)"
        guard let value = own[name], let other = others[name] else {
          return [Self.difference(of: own[name], from: others[name], shown, at: place)]
        }
        return value.differences(from: other, shown, at: place, isWhole: isWhole)
      }
    case (.array(let own), .array(let others)) where own.count == others.count:
      return own.indices.flatMap { index in
        own[index].differences(from: others[index], shown, at: "\(path)[\(index)]", isWhole: true)
      }
    default:
      return self == wanted ? [] : [Self.difference(of: self, from: wanted, shown, at: path)]
    }
  }

  private static func difference(
    of value: JSONValue?, from wanted: JSONValue?, _ shown: Shown, at path: String
  ) -> String {
    let texts = [value, wanted].map { $0.map { shown.json($0, of: path) } ?? "missing" }
    let path = shown.redaction.text(path)
    return "body\(path.isEmpty ? "" : " at \(path)") is \(texts[0]), not \(texts[1])"
  }
}
