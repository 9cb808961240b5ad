import Foundation

/// The decoder of one value of a document, which a type's `init(from:)` is given.
///
/// A place is used again for the next value of the same container, as long as nobody has kept it: whoever keeps a decoder or one of its
/// containers keeps the place and with it the document, and reads what it stood for as long as it likes, on any thread. Documents do not
/// change, so places that are used on several threads share nothing that does. One place is for one thread at a time, as decoders are.
final class JSONPlace: Decoder {
  /// Reads scalars, and all else that needs no place.
  let reader: TapeReader

  // A place is for one thread at a time, and none of these is held on to while anything else is called: so that accesses exclude each
  // other needs no check at run time, which took a twentieth of all decoding.

  /// Where the value is on the tape.
  @exclusivity(unchecked) private(set) var index: Int
  /// Where the search for a name begins, behind the name that was found last.
  @exclusivity(unchecked) private var cursor: Int
  /// The names, for an object that is ``TapeWord/indexed``, or was asked for a name that is not ASCII.
  @exclusivity(unchecked) private var members: NameTable?

  /// The place of the container that this value is in.
  ///
  /// It is not counted while that one waits for this to be decoded, and is held by `kept` otherwise.
  @exclusivity(unchecked) private unowned(unsafe) var outer: JSONPlace?
  @exclusivity(unchecked) private var kept: JSONPlace?
  /// Which one of the outer container's values this is.
  @exclusivity(unchecked) private var step: Step
  /// The key, where it is known; it stands above `step`.
  private let key: (any CodingKey)?
  /// How many places are around it.
  private let level: Int

  /// A place for the values in this one that is free to be used.
  @exclusivity(unchecked) private var spare: JSONPlace?
  /// The last type that nothing special was done for.
  @exclusivity(unchecked) private var ordinary: ObjectIdentifier?
  /// The last type that was an array.
  @exclusivity(unchecked) private var lastArray: (id: ObjectIdentifier, type: any JSONArray.Type)?

  /// Where a value is in its container.
  struct Step {
    /// Where its name is on the tape, or its index in an array.
    var index: Int
    /// What its name is a key of; `nil` in an array.
    var keyType: (any CodingKey.Type)?
  }

  /// The place of a whole document, or of a part of it that is decoded alone.
  init(_ document: JSONDocument) {
    reader = TapeReader(document)
    (index, cursor, step, key, level) = (0, 1, Step(index: 0), nil, 0)
  }

  /// The place of a value in `outer`, which it holds if it has a key of its own.
  private init(_ index: Int, in outer: JSONPlace, step: Step, key: (any CodingKey)?) {
    reader = outer.reader
    (self.index, cursor, self.step, self.key) = (index, index + 1, step, key)
    (self.outer, kept, level) = (outer, key == nil ? nil : outer, outer.level &+ 1)
  }

  deinit {
    // Whoever got hold of it by a weak reference or a mirror finds nothing around it.
    spare?.outer = nil
  }

  /// A place in this one for a decoder or container that a type asks for itself.
  func place(_ index: Int, key: any CodingKey) throws -> JSONPlace {
    guard StackRoom.isEnough(at: level) else { throw overflow }
    return JSONPlace(index, in: self, step: Step(index: 0), key: key)
  }

  var document: JSONDocument { @inline(__always) get { reader.document } }
  private var bytes: UnsafePointer<UInt8> { @inline(__always) get { reader.bytes } }
  var tape: UnsafePointer<UInt32> { @inline(__always) get { reader.tape } }
  @inline(__always) func kind(_ index: Int) -> UInt32 { reader.kind(index) }

  // Decoder.

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

// What it is made of is for nobody to see: places that are used again are not to be kept by what counts no reference.
extension JSONPlace: CustomReflectable {
  var customMirror: Mirror { Mirror(self, children: []) }
}

// Values in it.
extension JSONPlace {
  /// Decodes the value at a place on the tape as any type.
  @inline(__always)
  func decode<Value: Decodable>(_ type: Value.Type, at index: Int, step: @autoclosure () -> Step) throws
    -> Value
  {
    let id = ObjectIdentifier(type)
    if id == ordinary { return try inside(index, step: step()) { try Value(from: $0) } }
    if let special = SpecialType(type) { return try decode(type, as: special, at: index, step: step()) }
    return try inside(index, step: step()) { try $0.decode(type, id: id, for: self) }
  }

  /// Decodes the value in this place as a type that `outer` has not met right before.
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

  /// Decodes the value in this place as any type.
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let special = SpecialType(type) {
      return try reader.special(type, as: special, at: index, path: codingPath) { try $0(self) }
    }
    return try decode(type, id: ObjectIdentifier(type), for: self)
  }

  /// Decodes a value of a special type in this place.
  @inline(never)
  func decode<Value>(_ type: Value.Type, as special: SpecialType, at index: Int, step: Step) throws -> Value {
    try reader.special(type, as: special, at: index, path: codingPath + [key(of: step)]) { read in
      try inside(index, step: step) { try read($0) }
    }
  }

  /// Runs `body` with the place of a value in this one.
  @inline(__always)
  func inside<Result>(
    _ index: Int, step: @autoclosure () -> Step, body: (JSONPlace) throws -> Result
  ) throws -> Result {
    guard StackRoom.isEnough(at: level) else { throw overflow }
    var place = take(index, step: step())
    defer { giveBack(&place) }
    return try body(place)
  }

  /// The error of what is nested too deep for this thread.
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
      // Somebody has kept it, or a container of it: it stays what it is, and holds what it is in.
      place.kept = self
    }
  }
}

// Names.
extension JSONPlace {
  /// The place on the tape of the value with a name; `nil` where there is none.
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

  /// Looks at each name once, from the cursor on; also says whether it was asked for ASCII, where it found nothing.
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

  /// Compares a name of the text with one of as many bytes.
  ///
  /// Of the text eight bytes may be read from each place on, as zeros follow it.
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

  /// By the equality of Swift, to which a letter beyond ASCII may be one of ASCII: K and the sign of kelvin.
  private func findEqual(_ name: String) -> Int? {
    members = try? nameTable()
    return members.flatMap { found(name, in: $0) }
  }

  /// Where nulls are dropped, a null stays in the table, so that no later member of its name counts, and is not found.
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

  /// Whether values are found by a table.
  @inline(__always) var isCollected: Bool { members != nil }

  /// Goes through the names and values of an object, in their order.
  func forEachMember(_ body: (_ name: Int, _ value: Int) throws -> Void) rethrows {
    var index = self.index + 1
    let end = TapeWord.place(tape[self.index])
    while index < end {
      try body(index, index + 2)
      index = Tape.next(after: index + 2, on: tape)
    }
  }

  /// The names of an object as they are decoded.
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

  /// Which step a value is by its place on the tape.
  @inline(__always)
  static func step(to value: Int, of type: any CodingKey.Type) -> Step {
    Step(index: value &- 2, keyType: type)
  }
}

// Where it is.
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

  /// The key of a step in this place.
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
