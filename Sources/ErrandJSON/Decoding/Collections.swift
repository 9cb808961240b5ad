/// An array, whose elements need no container of their own.
protocol JSONArray {
  static func decode(_ place: JSONPlace) throws -> any JSONArray
}

extension Array: JSONArray where Element: Decodable {
  static func decode(_ place: JSONPlace) throws -> any JSONArray {
    try place.array(place.index, path: place.codingPath) { index, number in
      try place.decode(Element.self, at: index, step: .init(index: number))
    }
  }
}

extension JSONPlace {
  /// Decodes the array in this place.
  func array(_ type: any JSONArray.Type) throws -> any JSONArray { try type.decode(self) }

  /// The elements of an array, each decoded by its place on the tape and its number.
  @inline(__always)
  func array<Element>(
    _ index: Int, path: @autoclosure () -> [any CodingKey],
    element: (_ index: Int, _ number: Int) throws -> Element
  ) throws -> [Element] {
    guard kind(index) == TapeWord.array else { throw mismatch([Any].self, at: index, path: path()) }
    let end = TapeWord.place(tape[index])
    var next = index &+ 1
    let total = Tape.count(from: next, to: end, on: tape)
    return try [Element](capacity: total) { number in
      let value = try element(next, number)
      next = Tape.next(after: next, on: tape)
      return value
    }
  }
}

extension Array {
  /// As many elements as there are said to be.
  ///
  /// Memory for all of them is taken at once only where that is little: a text of many small elements must not take more than what has
  /// been decoded of it.
  @inline(__always)
  fileprivate init(capacity: Int, _ element: (_ number: Int) throws -> Element) throws {
    // Without elements the initializer below would write to the one array of none that all threads share.
    guard capacity > 0, capacity * MemoryLayout<Element>.stride <= 1 << 20 else {
      self = []
      for number in 0..<capacity { append(try element(number)) }
      return
    }
    try self.init(unsafeUninitializedCapacity: capacity) { buffer, count in
      while count < capacity {
        (buffer.baseAddress.unsafelyUnwrapped + count).initialize(to: try element(count))
        count &+= 1
      }
    }
  }
}

/// A dictionary by names, to which a strategy for keys does not apply.
protocol StringDictionary {
  static func decode(_ place: JSONPlace) throws -> any StringDictionary
}

extension Dictionary: StringDictionary where Key == String, Value: Decodable {
  static func decode(_ place: JSONPlace) throws -> any StringDictionary {
    var result: [String: Value] = [:]
    var dropped: Set<String> = []
    try place.forEachMember { name, value in
      guard let text = place.document.writtenName(name) else {
        throw place.unreadable(name, path: place.codingPath)
      }
      if place.document.settings.dropsNulls {
        if place.kind(value) == TapeWord.null, result[text] == nil { dropped.insert(text) }
        if place.kind(value) == TapeWord.null || dropped.contains(text) { return }
      }
      // The first one counts, and the others have to be right too.
      let decoded = try place.decode(Value.self, at: value, step: .init(index: name, keyType: NameKey.self))
      if result[text] == nil { result[text] = decoded }
    }
    return result
  }
}

extension JSONPlace {
  /// Decodes the object in this place as a dictionary by the names that are written.
  func dictionary(_ type: any StringDictionary.Type) throws -> any StringDictionary {
    let kind = kind(index)
    guard kind == TapeWord.object || kind == TapeWord.indexed else {
      throw mismatch([String: Any].self, at: index, path: codingPath)
    }
    return try type.decode(self)
  }
}
