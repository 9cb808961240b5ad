protocol JSONArray {
  static func decode(_ place: JSONPlace) throws -> any JSONArray
}

extension Array: JSONArray where Element: Decodable {
  static func decode(_ place: JSONPlace) throws -> any JSONArray {
    try place.reader.array(place.index, path: place.codingPath) { index, number in
      try place.decode(Element.self, at: index, step: .init(index: number))
    }
  }
}

extension JSONPlace {
  func array(_ type: any JSONArray.Type) throws -> any JSONArray { try type.decode(self) }
}

/// A dictionary with `String` keys.
///
/// The key decoding strategy does not convert the keys.
protocol StringDictionary {
  static func decode(_ place: JSONPlace) throws -> any StringDictionary
  static func decodeGuarded(_ decoder: any Decoder) throws -> any StringDictionary
}

extension Dictionary: StringDictionary where Key == String, Value: Decodable {
  static func decode(_ place: JSONPlace) throws -> any StringDictionary {
    var result: [String: Value] = [:]
    var dropped: Set<String> = []
    try place.forEachMember { name, value in
      guard let text = place.document.writtenName(name) else {
        throw place.reader.unreadable(name, path: place.codingPath)
      }
      if place.document.settings.dropsNulls {
        if place.kind(value) == TapeWord.null, result[text] == nil { dropped.insert(text) }
        if place.kind(value) == TapeWord.null || dropped.contains(text) { return }
      }
      let decoded = try place.decode(Value.self, at: value, step: .init(index: name, keyType: NameKey.self))
      if result[text] == nil { result[text] = decoded }
    }
    return result
  }

  static func decodeGuarded(_ decoder: any Decoder) throws -> any StringDictionary {
    try decoder.singleValueContainer().decode([String: GuardedValue<Value>].self).mapValues(\.value)
  }
}

extension JSONPlace {
  func dictionary(_ type: any StringDictionary.Type) throws -> any StringDictionary {
    let kind = kind(index)
    guard kind == TapeWord.object || kind == TapeWord.indexed else {
      throw reader.mismatch([String: Any].self, at: index, path: codingPath)
    }
    return try type.decode(self)
  }
}
