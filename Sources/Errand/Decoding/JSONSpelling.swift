/// Finds values in JSON by coding path, despite other spellings of names.
enum JSONSpelling {
  static func value(at path: [any CodingKey], in root: JSONValue) -> JSONValue? {
    var place = root
    for key in path {
      switch place {
      case .object(let members):
        let other = members[key.stringValue] == nil ? name(like: key.stringValue, in: members) : nil
        guard let member = members[other ?? key.stringValue] else { return nil }
        place = member
      case .array(let elements):
        guard let index = key.intValue, elements.indices.contains(index) else { return nil }
        place = elements[index]
      default: return nil
      }
    }
    return place
  }

  static func name(like name: String, in members: [String: JSONValue]) -> String? {
    let letters = letters(of: name)
    return members.keys.filter { $0 != name && self.letters(of: $0) == letters }.min()
  }

  private static func letters(of name: String) -> String {
    name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " }
  }
}
