/// A table that finds members by name.
///
/// Names are compared as Swift strings. The first of equal names counts.
enum NameTable {
  /// A hash table with linear probing. A slot holds a tape position and four bits of the hash, or 0 if empty.
  case places([UInt32])
  case dictionary([String: Int])

  /// Creates the table of an object; `nil` if a name is malformed.
  init?(_ object: Int, in document: JSONDocument, at path: @autoclosure () -> [any CodingKey]) {
    let (first, end) = (object + 1, TapeWord.place(document.tape[object]))
    if case .custom = document.settings.names {
      var members: [String: Int] = [:]
      let path = path()
      var index = first
      while index < end {
        guard let name = document.name(index, at: path) else { return nil }
        if members[name] == nil { members[name] = index + 2 }
        index = Tape.next(after: index + 2, on: document.tape)
      }
      self = .dictionary(members)
      return
    }
    let count = Tape.count(from: first, to: end, on: document.tape) / 2
    var capacity = min(1024, count * 4 / 3 + 1)
    while true {
      var places = [UInt32](repeating: 0, count: capacity)
      switch Self.fill(&places, from: first, to: end, of: document) {
      case .done:
        self = .places(places)
        return
      case .tooSmall: capacity = min(capacity * 2, count * 4 / 3 + 1)
      case .unreadable: return nil
      }
    }
  }

  private enum Filling { case done, tooSmall, unreadable }

  private static func fill(
    _ places: inout [UInt32], from first: Int, to end: Int, of document: JSONDocument
  ) -> Filling {
    var (index, free) = (first, places.count * 3 / 4 + 1)
    while index < end {
      guard let name = document.name(index, at: []) else { return .unreadable }
      let (slot, tag) = slot(of: name, in: places, of: document)
      if places[slot] == 0 {
        if free == 0 { return .tooSmall }
        free -= 1
        places[slot] = TapeWord.make(tag, at: index)
      }
      index = Tape.next(after: index + 2, on: document.tape)
    }
    return .done
  }

  func find(_ name: String, in document: JSONDocument) -> Int? {
    switch self {
    case .dictionary(let members): return members[name]
    case .places(let places):
      let word = places[Self.slot(of: name, in: places, of: document).index]
      return word == 0 ? nil : TapeWord.place(word) + 2
    }
  }

  private static func slot(
    of name: String, in places: [UInt32], of document: JSONDocument
  ) -> (index: Int, tag: UInt32) {
    let hash = UInt64(truncatingIfNeeded: name.hashValue)
    let tag = UInt32(truncatingIfNeeded: hash & 15)
    var slot = Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(places.count)).high)
    while true {
      let word = places[slot]
      if word == 0 || TapeWord.kind(word) == tag && document.name(TapeWord.place(word), at: []) == name {
        return (slot, tag)
      }
      slot = slot + 1 == places.count ? 0 : slot + 1
    }
  }
}
