class JSONCoderNode {
  final let session: JSONWritingSession
  /// The encoder of the surrounding value; `nil` at the root, and after the value of a scope has ended.
  final var owner: JSONCoderNode?
  /// The last key of the path; valid if ``place`` is ``Place/key``.
  final var key: (any CodingKey)?
  final var place = Place.none

  enum Place {
    case none
    case key
    case index(Int)
  }

  init(session: JSONWritingSession, owner: JSONCoderNode?, key: (any CodingKey)?) {
    self.session = session
    self.owner = owner
    self.key = key
    place = key == nil ? .none : .key
  }

  @inline(__always)
  final func set<Key: CodingKey>(_ key: Key) {
    if Key.self == JSONNoKey.self {
      place = .none
    } else if Key.self == JSONIndexKey.self {
      place = .index(unsafeBitCast(key, to: JSONIndexKey.self).index)
    } else {
      place = .key
      self.key = key
    }
  }

  final var codingPath: [any CodingKey] {
    var path: [any CodingKey] = []
    var node: JSONCoderNode? = self
    while let current = node {
      switch current.place {
      case .none: break
      case .key: if let key = current.key { path.append(key) }
      case .index(let index): path.append(JSONIndexKey(index))
      }
      node = current.owner
    }
    path.reverse()
    return path
  }

  final func path(_ key: some CodingKey) -> [any CodingKey] {
    key is JSONNoKey ? codingPath : codingPath + [key]
  }

  final var userInfo: [CodingUserInfoKey: Any] { session.settings.userInfo }
}
