/// Something with a place in the value that is encoded: an encoder.
class JSONCoderNode {
  final let session: JSONWritingSession
  /// The encoder of the value around this one; none when it is done.
  final var owner: JSONCoderNode?
  /// The key of this value in the one around it, if ``place`` says that it counts.
  final var key: (any CodingKey)?
  /// What is in the path of this value; in most values nobody asks.
  final var place = Place.none

  enum Place {
    /// Nothing: at the top, and where a value stands for the one around it.
    case none
    /// ``JSONCoderNode/key``.
    case key
    case index(Int)
  }

  init(session: JSONWritingSession, owner: JSONCoderNode?, key: (any CodingKey)?) {
    self.session = session
    self.owner = owner
    self.key = key
    place = key == nil ? .none : .key
  }

  /// Sets the key of a value that is begun.
  @inline(__always)
  final func set<Key: CodingKey>(_ key: Key) {
    if Key.self == JSONNoKey.self {
      place = .none
    } else if Key.self == JSONIndexKey.self {
      // The cast is between equal types.
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
