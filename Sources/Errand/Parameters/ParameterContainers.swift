struct MemberContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ParameterEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) throws { try add(.done(.null), for: key) }

  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: Int128, forKey key: Key) throws {
    try add(.done(try encoder.number(value.description)), for: key)
  }

  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: UInt128, forKey key: Key) throws {
    try add(.done(try encoder.number(value.description)), for: key)
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try add(try encoder.part(of: value, key: key), for: key)
  }

  private func add(_ part: EncodedPart, for key: Key) throws {
    try encoder.session.check()
    encoder.set(part, for: encoder.name(of: key), key: key)
    try encoder.session.check()
  }

  private func addIfPresent<Value: Encodable>(_ value: Value?, for key: Key) throws {
    if let value {
      try encode(value, forKey: key)
    } else if encoder.session.nils == .null {
      try encodeNil(forKey: key)
    }
  }

  // The protocol's default implementations for these types leave out `nil`. The generic overload below does
  // not replace the default implementations.
  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try addIfPresent(value, for: key) }
  func encodeIfPresent(_ value: String?, forKey key: Key) throws { try addIfPresent(value, for: key) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try addIfPresent(value, for: key) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try addIfPresent(value, for: key) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try addIfPresent(value, for: key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try addIfPresent(value, for: key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try addIfPresent(value, for: key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try addIfPresent(value, for: key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try addIfPresent(value, for: key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try addIfPresent(value, for: key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try addIfPresent(value, for: key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try addIfPresent(value, for: key) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try addIfPresent(value, for: key) }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try addIfPresent(value, for: key) }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try addIfPresent(value, for: key) }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try addIfPresent(value, for: key) }
  func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
    try addIfPresent(value, for: key)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    inner(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    inner(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { superEncoder(for: OwnKey(stringValue: "super")) }

  func superEncoder(forKey key: Key) -> any Encoder { superEncoder(for: key) }

  private func superEncoder(for key: some CodingKey) -> any Encoder {
    let inner = encoder.inner(key)
    let name = encoder.name(of: key)
    if encoder.has(name) { encoder.session.refuse(inner.misuse("a super encoder of a key that has a value")) }
    encoder.set(.open(inner), for: name, key: key)
    return inner
  }

  private func inner(_ key: Key) -> ParameterEncoder {
    let name = encoder.name(of: key)
    if let open = encoder.open(for: name, key: key) { return open }
    let inner = encoder.inner(key)
    if encoder.has(name) { encoder.session.refuse(inner.misuse("a container of a key that has a value")) }
    encoder.set(.open(inner), for: name, key: key)
    return inner
  }
}

struct ElementContainer: UnkeyedEncodingContainer {
  let encoder: ParameterEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.parts.count }

  func encodeNil() throws { try add(.done(.null)) }

  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: Int128) throws { try add(.done(try encoder.number(value.description))) }

  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  func encode(_ value: UInt128) throws { try add(.done(try encoder.number(value.description))) }

  func encode<Value: Encodable>(_ value: Value) throws {
    try add(try encoder.part(of: value, key: OwnKey(count)))
  }

  private func add(_ part: EncodedPart) throws {
    try encoder.session.check()
    encoder.append(part)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    inner().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { inner().unkeyedContainer() }

  func superEncoder() -> any Encoder { inner() }

  private func inner() -> ParameterEncoder {
    let inner = encoder.inner(OwnKey(count))
    encoder.append(.open(inner))
    return inner
  }
}
