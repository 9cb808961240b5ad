import ErrandJSON
public import Foundation

extension Parameters {
  /// The treatment of `nil` in encoding.
  public enum NilStrategy: Sendable, Hashable, CaseIterable {
    /// The value's `encode(to:)` decides about `nil`.
    case asEncoded
    /// Null members of objects are left out; null list elements stay.
    case omitted
    /// A `nil` that `encode(to:)` encodes becomes null, even if encoded with `encodeIfPresent`.
    case null
  }

  /// Creates parameters from an `Encodable` struct, class or dictionary.
  ///
  /// ```swift
  /// struct Filter: Encodable {
  ///   var bornAfter: Date?
  ///   var tags: [String]
  /// }
  /// let parameters = try Parameters(encoding: Filter(tags: ["new"]), keys: .convertToSnakeCase, nils: .null)
  /// ```
  ///
  /// Members keep the order of encoding; dictionaries and sets are usually sorted.
  ///
  /// Throws a ``Refusal`` of kind ``RequestError/Kind/encoding`` for
  ///
  /// - a value that is not encoded as an object
  /// - more than 64 nested calls of `encode(to:)`, or more than 512 levels of lists and objects
  /// - two keys that the key strategy gives the same name
  /// - an `encode(to:)` that misuses its containers
  ///
  /// Give an enum a raw type; otherwise a case without values is encoded as `{"newest":{}}`.
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
    // The value's `encode(to:)` may have caught the error, so the problem is thrown here.
    if let problem = session.problem { throw problem }
    guard case .object(let parameters) = node else {
      throw Refusal(
        "\(type(of: value)) is encoded as \(node.noun), but parameters need names: encode a struct, a class or a dictionary",
        kind: .encoding)
    }
    self = parameters
  }
}

final class EncodingSession {
  static let deepest = 64
  static let tooDeep = Refusal(
    "the parameters have more than \(deepest) nested values, or a value contains itself",
    kind: .encoding)

  /// `nil`: names are unchanged.
  let naming: JSONKeyNaming?
  let nils: Parameters.NilStrategy
  var depth = 0
  /// The first refusal, thrown again for each later value, because an `encode(to:)` may catch the refusal.
  private(set) var problem: Refusal?

  init(keys: JSONEncoder.KeyEncodingStrategy, nils: Parameters.NilStrategy) {
    naming = JSONKeyNaming(keys)
    self.nils = nils
  }

  func check() throws {
    if let problem { throw problem }
  }

  @discardableResult
  func refuse(_ refusal: Refusal) -> Refusal {
    problem = problem ?? refusal
    return problem ?? refusal
  }
}

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

final class ParameterEncoder: Encoder, SingleValueEncodingContainer, JSONNumberTextContainer {
  enum Kind { case nothing, scalar, list, object }

  let session: EncodingSession
  let codingPath: [any CodingKey]
  let level: Int
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  private(set) var kind = Kind.nothing
  private(set) var parts: [EncodedPart] = []
  private var names: [String] = []
  /// The coding keys before conversion; empty without a naming strategy.
  private var keys: [String] = []
  private var emptyCase: String?
  private var places: [String: Int] = [:]
  private var keyType: ObjectIdentifier?
  /// The number of elements that sorting moves together.
  ///
  /// 1 for a set. 2 for a dictionary encoded as a list of alternating keys and values. 0: the list is not
  /// sorted.
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

  /// Makes this encoder a container of a kind, and returns the encoder.
  ///
  /// If the container is refused, returns a detached encoder. The content of a detached encoder is dropped.
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
      if wasEmpty { (kind, parts, names, keys, places, keyType) = (.nothing, [], [], [], [:], nil) }
      throw error
    }
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

  func number(_ text: String) throws -> Parameters.Node {
    guard let number = JSONValue.Number(text) else { throw misuse("a malformed number") }
    return Parameters.Node(number)
  }

  func part<Value: Encodable>(of value: Value, key: some CodingKey) throws -> EncodedPart {
    try session.check()
    if let node = Self.scalar(value) { return .done(node) }
    let encoder = inner(key)
    try encoder.encode(value)
    return encoder.kind == .scalar ? .done(encoder.node) : .open(encoder)
  }

  func inner(_ key: some CodingKey) -> ParameterEncoder {
    ParameterEncoder(session, path: codingPath + [key], level: level + 1)
  }

  func append(_ part: EncodedPart) { parts.append(part) }

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

  func open(for name: String, key: some CodingKey) -> ParameterEncoder? {
    guard let place = places[name], case .open(let encoder) = parts[place] else { return nil }
    requireSame(key, at: place)
    return encoder
  }

  func has(_ name: String) -> Bool { places[name] != nil }

  private func requireSame(_ key: some CodingKey, at place: Int) {
    guard session.naming != nil, keys[place] != key.stringValue else { return }
    let name = ParameterLimits.name((codingPath.map(Self.name) + [names[place]]))
    session.refuse(
      Refusal(
        "the parameter \(name.debugDescription) has two values, from the keys \(keys[place].debugDescription) and \(key.stringValue.debugDescription), "
          + "because the key strategy gives both keys the same name", kind: .encoding))
  }

  private var isEmptyObject: Bool { kind == .object && parts.isEmpty }

  func name(of key: some CodingKey) -> String {
    guard let naming = session.naming, keyType != DictionaryKeys.type else { return key.stringValue }
    return naming.name(of: key, path: { codingPath })
  }

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

private protocol Unordered {
  static var groupSize: Int { get }
}

extension Set: Unordered { fileprivate static var groupSize: Int { 1 } }
extension Dictionary: Unordered { fileprivate static var groupSize: Int { 2 } }

/// The coding-key type of dictionaries, which the standard library does not publish.
private enum DictionaryKeys {
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

struct OwnKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ index: Int) { (stringValue, intValue) = (String(index), index) }
  init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
  init(intValue: Int) { self.init(intValue) }
}
