import ErrandJSON
public import Foundation

extension Parameters {
  /// What becomes of values that are `nil` when they are encoded.
  public enum NilStrategy: Sendable, Hashable, CaseIterable {
    /// As the value encodes them: a property that is `nil` is left out by the code that the compiler writes, an explicit
    /// `encodeNil(forKey:)` and an element of a dictionary are null.
    case asEncoded
    /// Every one is left out, but those in lists, which keep their positions.
    case omitted
    /// Every one is null, also those that `encodeIfPresent` leaves out.
    case null
  }

  /// Makes parameters of a value that encodes itself with names: a struct, a class, or a dictionary.
  ///
  /// ```swift
  /// struct Filter: Encodable {
  ///   var bornAfter: Date?
  ///   var tags: [String]
  /// }
  /// let parameters = try Parameters(encoding: Filter(tags: ["new"]), keys: .convertToSnakeCase, nils: .null)
  /// ```
  ///
  /// They are parameters like any others, for a query, a form or JSON. Dates, bytes and secrets stay what they are; how they, null, truth
  /// values, lists and nested names are written is said by ``ParameterEncoding``, or in JSON by ``RequestSerializer/json``. Members keep
  /// the order in which they are encoded. Dictionaries and sets have none, and are sorted; the keys of a dictionary are not renamed. One
  /// whose keys are neither texts nor whole numbers, nor `CodingKeyRepresentable`, is encoded as a list of keys and values, as everywhere.
  ///
  /// Throws a ``Refusal`` of kind ``RequestError/Kind/encoding`` for a value without names, such as a number or an array, for more than 64
  /// values within each other, as where an object has itself in it, for containers nested deeper than 512 levels, or than the stack of the
  /// thread has room for, for two keys that `keys` gives one name, and for use of containers that has no result; and what the value's
  /// `encode(to:)` throws.
  ///
  /// A case of an enum without a raw type is encoded by the compiler's code as an object with nothing in it, `{"newest":{}}`. JSON has a
  /// text for that; in a query or a form it would be left out, and is refused with the name of the parameter. Give such an enum a raw type.
  ///
  /// - Parameters:
  ///   - value: what is encoded.
  ///   - keys: how properties are named; as they are by default.
  ///   - nils: what becomes of `nil`; ``NilStrategy/asEncoded`` by default.
  public init(
    encoding value: some Encodable, keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys,
    nils: NilStrategy = .asEncoded
  ) throws {
    let session = EncodingSession(keys: keys, nils: nils)
    let root = ParameterEncoder(session, path: [], level: 0)
    do {
      try root.encode(value)
    } catch {
      throw session.problem ?? error
    }
    let node = root.node
    // Of those that were caught on the way, too.
    if let problem = session.problem { throw problem }
    guard case .object(let parameters) = node else {
      throw Refusal(
        "\(type(of: value)) is encoded as \(node.noun), and parameters have names: encode a struct, a class or a dictionary",
        kind: .encoding)
    }
    self = parameters
  }
}

/// What the encoders and containers of one value share.
final class EncodingSession {
  /// Values within each other, containers or not: each takes up to 5 KiB of the stack.
  static let deepest = 64
  static let tooDeep = Refusal(
    "there are more than \(deepest) values within each other, or one is within itself: parameters are made of fewer",
    kind: .encoding)

  /// `nil` where names are the keys.
  let naming: JSONKeyNaming?
  let nils: Parameters.NilStrategy
  /// Values that are being encoded.
  var depth = 0
  /// Why there will be no parameters, whoever catches the error: an object with itself in it twice that went on would take for ever.
  private(set) var problem: Refusal?

  init(keys: JSONEncoder.KeyEncodingStrategy, nils: Parameters.NilStrategy) {
    naming = JSONKeyNaming(keys)
    self.nils = nils
  }

  func check() throws {
    if let problem { throw problem }
  }

  /// Notes a problem, and gives it to be thrown.
  @discardableResult
  func refuse(_ refusal: Refusal) -> Refusal {
    problem = problem ?? refusal
    return problem ?? refusal
  }
}

/// A part of a value: done, or one that may be added to until all is encoded.
enum EncodedPart {
  case done(Parameters.Node)
  case open(ParameterEncoder)

  var node: Parameters.Node {
    switch self {
    case .done(let node): node
    case .open(let encoder): encoder.node
    }
  }
}

/// The place of one value: its encoder, its container of a single value, and what was encoded so far.
final class ParameterEncoder: Encoder, SingleValueEncodingContainer, JSONNumberTextContainer {
  enum Kind { case nothing, scalar, list, object }

  let session: EncodingSession
  let codingPath: [any CodingKey]
  /// Of objects and lists around it.
  let level: Int
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  private(set) var kind = Kind.nothing
  private(set) var parts: [EncodedPart] = []
  private var names: [String] = []
  /// The keys that `names` are of, where they may be others.
  private var keys: [String] = []
  /// The enum that is told by the key of this value alone, if nothing is in it.
  private var emptyCase: String?
  private var places: [String: Int] = [:]
  /// What kind of keys its members have.
  private var keyType: ObjectIdentifier?
  /// Of a list: how many elements belong together in a collection without order; 0 for one with.
  private var group = 0

  init(_ session: EncodingSession, path: [any CodingKey], level: Int) {
    (self.session, self.level) = (session, level)
    codingPath = path
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if keyType == nil { keyType = ObjectIdentifier(type) }
    return KeyedEncodingContainer(MemberContainer<Key>(encoder: opened(as: .object)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { ElementContainer(encoder: opened(as: .list)) }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// Itself, or one whose content nobody reads, where this is something else already.
  func opened(as wanted: Kind) -> ParameterEncoder {
    if kind == .nothing {
      guard level < ParameterLimits.depth else {
        session.refuse(ParameterLimits.tooDeep)
        return detached(wanted)
      }
      kind = wanted
    }
    if kind == wanted { return self }
    session.refuse(misuse("containers of two kinds, or a container beside a value"))
    return detached(wanted)
  }

  private func detached(_ kind: Kind) -> ParameterEncoder {
    let encoder = ParameterEncoder(session, path: codingPath, level: level)
    encoder.kind = kind
    return encoder
  }

  func misuse(_ what: String) -> Refusal {
    Refusal(
      "the parameter \(name.debugDescription) cannot be encoded: its encode(to:) asks for \(what)",
      kind: .encoding)
  }

  private var name: String {
    ParameterLimits.name(codingPath.map(Self.name))
  }

  private static func name(_ key: any CodingKey) -> String {
    key.intValue.map(String.init) ?? key.stringValue
  }

  func encodeNil() throws { try set(.null) }

  func encodeNumber(text: String) throws { try set(try number(text)) }

  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: Int128) throws { try encodeNumber(text: value.description) }

  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: UInt128) throws { try encodeNumber(text: value.description) }

  func encode<Value: Encodable>(_ value: Value) throws {
    if let node = Self.scalar(value) { return try set(node) }
    let wasEmpty = kind == .nothing
    do {
      try forward(value)
    } catch {
      // A value that failed leaves nothing behind.
      if wasEmpty { (kind, parts, names, keys, places, keyType) = (.nothing, [], [], [], [:], nil) }
      throw error
    }
    // One that encodes nothing is an empty object, as everywhere.
    if kind == .nothing { _ = opened(as: .object) }
  }

  private func forward<Value: Encodable>(_ value: Value) throws {
    try session.check()
    session.depth += 1
    defer { session.depth -= 1 }
    guard session.depth <= EncodingSession.deepest else { throw session.refuse(EncodingSession.tooDeep) }
    guard StackRoom.isEnough else { throw session.refuse(ParameterLimits.stack) }
    try value.encode(to: self)
    if kind == .object, parts.count == 1, case .open(let inner) = parts[0], inner.isEmptyObject,
      Mirror(reflecting: value).displayStyle == .enum
    {
      inner.emptyCase = "\(Value.self)"
    }
    if kind == .list, let unordered = Value.self as? any Unordered.Type { group = unordered.groupSize }
  }

  private func set(_ node: Parameters.Node) throws {
    try session.check()
    guard kind == .nothing else {
      throw session.refuse(misuse("a second value, or a value beside a container"))
    }
    (kind, parts) = (.scalar, [.done(node)])
  }

  /// A number of any size, as far as parameters keep its digits.
  func number(_ text: String) throws -> Parameters.Node {
    guard let number = JSONValue.Number(text) else { throw misuse("a number that is none") }
    return Parameters.Node(number)
  }

  /// The part that a value is; it is not added anywhere yet.
  func part<Value: Encodable>(of value: Value, key: some CodingKey) throws -> EncodedPart {
    try session.check()
    if let node = Self.scalar(value) { return .done(node) }
    let encoder = inner(key)
    try encoder.encode(value)
    return encoder.kind == .scalar ? .done(encoder.node) : .open(encoder)
  }

  /// A place for a part of its own.
  func inner(_ key: some CodingKey) -> ParameterEncoder {
    ParameterEncoder(session, path: codingPath + [key], level: level + 1)
  }

  func append(_ part: EncodedPart) { parts.append(part) }

  /// Sets a member; one that is there keeps its place.
  func set(_ part: EncodedPart, for name: String, key: some CodingKey) {
    if let place = places[name] {
      requireSame(key, at: place)
      return parts[place] = part
    }
    places[name] = parts.count
    names.append(name)
    if session.naming != nil { keys.append(key.stringValue) }
    parts.append(part)
  }

  /// What is open under a name, to be added to.
  func open(for name: String, key: some CodingKey) -> ParameterEncoder? {
    guard let place = places[name], case .open(let encoder) = parts[place] else { return nil }
    requireSame(key, at: place)
    return encoder
  }

  func has(_ name: String) -> Bool { places[name] != nil }

  /// Two keys may not have one name: the value of one would be lost.
  private func requireSame(_ key: some CodingKey, at place: Int) {
    guard session.naming != nil, keys[place] != key.stringValue else { return }
    let name = ParameterLimits.name((codingPath.map(Self.name) + [names[place]]))
    session.refuse(
      Refusal(
        "the parameter \(name.debugDescription) is there twice, of the keys \(keys[place].debugDescription) and \(key.stringValue.debugDescription), "
          + "which the strategy for keys gives one name", kind: .encoding))
  }

  private var isEmptyObject: Bool { kind == .object && parts.isEmpty }

  func name(of key: some CodingKey) -> String {
    guard let naming = session.naming, keyType != DictionaryKeys.type else { return key.stringValue }
    return naming.name(of: key, path: { codingPath })
  }

  /// What was encoded; null, and a problem of the session, where the stack has no room for what is inside.
  var node: Parameters.Node {
    guard StackRoom.isEnough(at: level) else {
      session.refuse(ParameterLimits.stack)
      return .null
    }
    switch kind {
    case .nothing: return .object([:])
    case .scalar: return parts.first?.node ?? .null
    case .list:
      let nodes = parts.map(\.node)
      guard group > 0, nodes.count.isMultiple(of: group) else { return .list(nodes) }
      let groups = stride(from: 0, to: nodes.count, by: group).map { Array(nodes[$0..<$0 + group]) }
      return .list(groups.sorted { ParameterOrder.precedes(.list($0), .list($1)) }.flatMap { $0 })
    case .object:
      var entries = zip(names, parts).map { Parameters.Entry(key: $0, value: $1.node) }
      if session.nils == .omitted { entries.removeAll { $0.value == .null } }
      if keyType == DictionaryKeys.type { entries.sort { $0.key < $1.key } }
      return .object(Parameters(entries: entries, emptyCase: emptyCase))
    }
  }

  /// Types whose values have no parts, though some of them would encode themselves with names.
  private static let scalars: Set<ObjectIdentifier> = [
    ObjectIdentifier(String.self), ObjectIdentifier(Bool.self), ObjectIdentifier(Double.self),
    ObjectIdentifier(Float.self), ObjectIdentifier(Decimal.self), ObjectIdentifier(Date.self),
    ObjectIdentifier(Data.self), ObjectIdentifier(URL.self), ObjectIdentifier(UUID.self),
    ObjectIdentifier(Secret.self), ObjectIdentifier(Int.self), ObjectIdentifier(Int8.self),
    ObjectIdentifier(Int16.self), ObjectIdentifier(Int32.self), ObjectIdentifier(Int64.self),
    ObjectIdentifier(UInt.self), ObjectIdentifier(UInt8.self), ObjectIdentifier(UInt16.self),
    ObjectIdentifier(UInt32.self), ObjectIdentifier(UInt64.self),
  ]

  private static func scalar<Value>(_ value: Value) -> Parameters.Node? {
    guard scalars.contains(ObjectIdentifier(Value.self)) else { return nil }
    return (value as? any ParameterValue)?.parameterNode
  }
}

/// What is encoded as a list and has no order.
private protocol Unordered {
  /// How many elements of the list belong together.
  static var groupSize: Int { get }
}

extension Set: Unordered { fileprivate static var groupSize: Int { 1 } }
/// Keys and values by turns.
extension Dictionary: Unordered { fileprivate static var groupSize: Int { 2 } }

/// Knows the keys of dictionaries, whose type has no public name.
private enum DictionaryKeys {
  /// Their type, found by encoding a dictionary.
  static let type: ObjectIdentifier? = {
    let finder = Finder()
    try? ["": 0].encode(to: finder)
    return finder.found
  }()

  private final class Finder: Encoder {
    let inner = ParameterEncoder(EncodingSession(keys: .useDefaultKeys, nils: .asEncoded), path: [], level: 0)
    var found: ObjectIdentifier?
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
      found = ObjectIdentifier(type)
      return inner.container(keyedBy: type)
    }
    func unkeyedContainer() -> any UnkeyedEncodingContainer { inner.unkeyedContainer() }
    func singleValueContainer() -> any SingleValueEncodingContainer { inner }
  }
}

/// A key of the encoder's own.
struct OwnKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ index: Int) { (stringValue, intValue) = (String(index), index) }
  init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
  init(intValue: Int) { self.init(intValue) }
}
