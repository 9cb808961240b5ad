import Foundation

/// The decoder of a value in a document, passed to a type's `init(from:)`.
///
/// A place may be reused for the next value. A place that a type has stored is not reused.
final class JSONPlace: Decoder {
  let reader: TapeReader

  // The exclusivity checks are off: a single thread at a time uses a place, and accesses do not overlap.

  @exclusivity(unchecked) private(set) var index: Int
  /// The tape position after the last found member.
  ///
  /// The next search for a name usually starts here.
  @exclusivity(unchecked) private var cursor: Int
  @exclusivity(unchecked) private var members: NameTable?

  /// The place of the outer value, without a reference count.
  ///
  /// The outer place is alive while the inner value is decoded. If the inner place may live longer, `kept`
  /// retains the outer place.
  @exclusivity(unchecked) private unowned(unsafe) var outer: JSONPlace?
  @exclusivity(unchecked) private var kept: JSONPlace?
  @exclusivity(unchecked) private var step: Step
  /// The last key of the coding path; `nil`: the key is made from `step` when needed.
  private let key: (any CodingKey)?
  private let level: Int

  /// A finished place, for reuse by the next value of the container.
  @exclusivity(unchecked) private var spare: JSONPlace?
  /// The last type decoded without special treatment; further values of the type skip the type checks.
  @exclusivity(unchecked) private var ordinary: ObjectIdentifier?
  @exclusivity(unchecked) private var lastArray: (id: ObjectIdentifier, type: any JSONArray.Type)?

  struct Step {
    /// The index in an array, or the position of the name on the tape.
    var index: Int
    var keyType: (any CodingKey.Type)?
  }

  init(_ document: JSONDocument) {
    reader = TapeReader(document)
    (index, cursor, step, key, level) = (0, 1, Step(index: 0), nil, 0)
  }

  private init(_ index: Int, in outer: JSONPlace, step: Step, key: (any CodingKey)?) {
    reader = outer.reader
    (self.index, cursor, self.step, self.key) = (index, index + 1, step, key)
    (self.outer, kept, level) = (outer, key == nil ? nil : outer, outer.level &+ 1)
  }

  deinit {
    // A weak reference may still reach the spare place. The unretained `outer` would be a dangling pointer.
    spare?.outer = nil
  }

  func place(_ index: Int, key: any CodingKey) throws -> JSONPlace {
    guard StackRoom.isEnough(at: level) else { throw overflow }
    return JSONPlace(index, in: self, step: Step(index: 0), key: key)
  }

  var document: JSONDocument { @inline(__always) get { reader.document } }
  private var bytes: UnsafePointer<UInt8> { @inline(__always) get { reader.bytes } }
  var tape: UnsafePointer<UInt32> { @inline(__always) get { reader.tape } }
  @inline(__always) func kind(_ index: Int) -> UInt32 { reader.kind(index) }

  var userInfo: [CodingUserInfoKey: Any] { document.settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let kind = kind(index)
    if kind != TapeWord.object {
      guard kind == TapeWord.indexed else {
        throw reader.mismatch([String: Any].self, at: index, path: codingPath)
      }
      if members == nil { members = try nameTable() }
    }
    return KeyedDecodingContainer(KeyedJSON<Key>(self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard kind(index) == TapeWord.array else {
      throw reader.mismatch([Any].self, at: index, path: codingPath)
    }
    return UnkeyedJSON(self)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

// The default mirror would expose the unretained reference `outer`.
extension JSONPlace: CustomReflectable {
  var customMirror: Mirror { Mirror(self, children: []) }
}

extension JSONPlace {
  @inline(__always)
  func decode<Value: Decodable>(_ type: Value.Type, at index: Int, step: @autoclosure () -> Step) throws
    -> Value
  {
    let id = ObjectIdentifier(type)
    if id == ordinary { return try inside(index, step: step()) { try Value(from: $0) } }
    if let special = SpecialType(type) { return try decode(type, as: special, at: index, step: step()) }
    return try inside(index, step: step()) { try $0.decode(type, id: id, for: self) }
  }

  @inline(never)
  private func decode<Value: Decodable>(_ type: Value.Type, id: ObjectIdentifier, for outer: JSONPlace)
    throws -> Value
  {
    if let array = outer.lastArray, array.id == id { return try self.array(array.type) as! Value }
    if let array = type as? any JSONArray.Type {
      outer.lastArray = (id, array)
      return try self.array(array) as! Value
    }
    if !document.settings.keepsNames, let type = type as? any StringDictionary.Type {
      return try dictionary(type) as! Value
    }
    if let guarded = GuardedType(type) { try guarded.check(self) } else { outer.ordinary = id }
    return try Value(from: self)
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let special = SpecialType(type) {
      return try reader.special(type, as: special, at: index, path: codingPath) { try $0(self) }
    }
    return try decode(type, id: ObjectIdentifier(type), for: self)
  }

  @inline(never)
  func decode<Value>(_ type: Value.Type, as special: SpecialType, at index: Int, step: Step) throws -> Value {
    try reader.special(type, as: special, at: index, path: codingPath + [key(of: step)]) { read in
      try inside(index, step: step) { try read($0) }
    }
  }

  @inline(__always)
  func inside<Result>(
    _ index: Int, step: @autoclosure () -> Step, body: (JSONPlace) throws -> Result
  ) throws -> Result {
    guard StackRoom.isEnough(at: level) else { throw overflow }
    var place = take(index, step: step())
    defer { giveBack(&place) }
    return try body(place)
  }

  private var overflow: DecodingError {
    @inline(never) get { DecodingError(JSONSyntaxError(.stack, at: nil)) }
  }

  @inline(__always)
  private func take(_ index: Int, step: Step) -> JSONPlace {
    guard let place = spare else { return JSONPlace(index, in: self, step: step, key: nil) }
    spare = nil
    place.index = index
    place.cursor = index &+ 1
    place.step = step
    if place.members != nil { place.members = nil }
    return place
  }

  @inline(__always)
  private func giveBack(_ place: inout JSONPlace) {
    if isKnownUniquelyReferenced(&place) {
      spare = place
    } else {
      // A type has stored the place or a container.
      place.kept = self
    }
  }
}

extension JSONPlace {
  @inline(never)
  func find(_ name: consuming String) -> Int? {
    if let members { return found(name, in: members) }
    let start = index &+ 1
    let end = TapeWord.place(tape[index])
    if start == end { return nil }
    let (found, isASCII) = name.withUTF8 { search($0, from: start, to: end) }
    if found >= 0 { return found }
    return isASCII ? nil : findEqual(name)
  }

  /// Returns the tape position of the value; -1 if the name is not found.
  ///
  /// `isASCII` tells whether a missing name is ASCII.
  @inline(__always)
  private func search(_ name: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> (
    found: Int, isASCII: Bool
  ) {
    let first = cursor == end ? start : cursor
    var index = first
    repeat {
      let next = Tape.next(after: index &+ 2, on: tape)
      if Int(truncatingIfNeeded: tape[index &+ 1]) == name.count,
        Self.areEqual(bytes + TapeWord.place(tape[index]), name)
      {
        cursor = next
        return (index &+ 2, true)
      }
      index = next == end ? start : next
    } while index != first
    return (-1, name.allSatisfy { $0 < 0x80 })
  }

  /// Compares the bytes of a text with a name of the same length.
  ///
  /// The last two loads may overlap, so that no load reads beyond the name.
  @inline(__always)
  private static func areEqual(_ text: UnsafePointer<UInt8>, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let other = name.baseAddress else { return true }
    let count = name.count
    if count >= 8 {
      var index = 0
      while index &+ 8 < count {
        if ByteWord.load(text + index) != ByteWord.load(other + index) { return false }
        index &+= 8
      }
      return ByteWord.load(text + (count &- 8)) == ByteWord.load(other + (count &- 8))
    }
    if count >= 4 {
      return ByteWord.load4(text) == ByteWord.load4(other)
        && ByteWord.load4(text + (count &- 4)) == ByteWord.load4(other + (count &- 4))
    }
    for index in 0..<count where text[index] != other[index] { return false }
    return true
  }

  /// Finds a name that is equal as a Swift string.
  ///
  /// For example, the kelvin sign (U+212A) equals `K`.
  private func findEqual(_ name: String) -> Int? {
    members = try? nameTable()
    return members.flatMap { found(name, in: $0) }
  }

  private func found(_ name: String, in members: NameTable) -> Int? {
    guard let index = members.find(name, in: document) else { return nil }
    return document.settings.dropsNulls && kind(index) == TapeWord.null ? nil : index
  }

  @inline(never)
  private func nameTable() throws -> NameTable {
    if let table = NameTable(index, in: document, at: codingPath) { return table }
    var names: [Int] = []
    forEachMember { name, _ in names.append(name) }
    throw reader.unreadable(names.first { document.text($0) == nil } ?? names[0], path: codingPath)
  }

  @inline(__always) var isCollected: Bool { members != nil }

  func forEachMember(_ body: (_ name: Int, _ value: Int) throws -> Void) rethrows {
    var index = self.index + 1
    let end = TapeWord.place(tape[self.index])
    while index < end {
      try body(index, index + 2)
      index = Tape.next(after: index + 2, on: tape)
    }
  }

  var names: [String] {
    if case .dictionary(let members) = members {
      return members.filter { found($0.key, in: .dictionary(members)) != nil }
        .sorted { $0.value < $1.value }.map(\.key)
    }
    var names: [String] = []
    forEachMember { name, value in
      guard let text = document.name(name, at: []) else { return }
      if let members, found(text, in: members) != value { return }
      names.append(text)
    }
    return names
  }

  @inline(__always)
  static func step(to value: Int, of type: any CodingKey.Type) -> Step {
    Step(index: value &- 2, keyType: type)
  }
}

extension JSONPlace {
  var codingPath: [any CodingKey] {
    var path: [any CodingKey] = []
    var place = self
    while let outer = place.outer {
      path.append(place.key ?? outer.key(of: place.step))
      place = outer
    }
    path.reverse()
    return path
  }

  func key(of step: Step) -> any CodingKey {
    guard let type = step.keyType else { return NameKey(intValue: step.index) }
    if type == NameKey.self { return NameKey(document.writtenName(step.index) ?? "") }
    let name = document.name(step.index, at: codingPath) ?? ""
    return type.init(stringValue: name) ?? NameKey(name)
  }
}

extension JSONPlace: SingleValueDecodingContainer {
  func decodeNil() -> Bool { kind(index) == TapeWord.null }
  func decode(_ type: Bool.Type) throws -> Bool { try reader.bool(index, path: codingPath) }
  func decode(_ type: String.Type) throws -> String { try reader.string(index, path: codingPath) }
  func decode(_ type: Double.Type) throws -> Double { try reader.double(index, path: codingPath) }
  func decode(_ type: Float.Type) throws -> Float { try reader.float(index, path: codingPath) }
  func decode(_ type: Int.Type) throws -> Int { try reader.integer(index, path: codingPath) }
  func decode(_ type: Int8.Type) throws -> Int8 { try reader.integer(index, path: codingPath) }
  func decode(_ type: Int16.Type) throws -> Int16 { try reader.integer(index, path: codingPath) }
  func decode(_ type: Int32.Type) throws -> Int32 { try reader.integer(index, path: codingPath) }
  func decode(_ type: Int64.Type) throws -> Int64 { try reader.integer(index, path: codingPath) }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decode(_ type: Int128.Type) throws -> Int128 { try reader.integer(index, path: codingPath) }
  func decode(_ type: UInt.Type) throws -> UInt { try reader.integer(index, path: codingPath) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try reader.integer(index, path: codingPath) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try reader.integer(index, path: codingPath) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try reader.integer(index, path: codingPath) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try reader.integer(index, path: codingPath) }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decode(_ type: UInt128.Type) throws -> UInt128 { try reader.integer(index, path: codingPath) }
}
