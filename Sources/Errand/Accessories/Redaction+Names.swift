extension Redaction {
  /// Where a name stands.
  enum Place {
    case header, queryItem, field
    /// In free text, where nobody knows.
    case text
  }

  /// Whether what stands under the name is hidden.
  ///
  /// A name with parts, such as `user[pin]` or `user.pin`, is judged as a whole and by its parts.
  func hides(_ name: some StringProtocol, in place: Place) -> Bool {
    name.withBytes { hides(bytes: $0, in: place) }
  }

  func hides(name: ArraySlice<UInt8>, in place: Place) -> Bool {
    name.withUnsafeBufferPointer { hides(bytes: $0, in: place) }
  }

  /// The same of a name that may have percent-encoding in it.
  func hides(encoded name: UnsafeBufferPointer<UInt8>, in place: Place) -> Bool {
    guard name.contains(UInt8(ascii: "%")) else { return hides(bytes: name, in: place) }
    return hides(name: PercentEncoding.decode(Array(name)[...])[...], in: place)
  }

  private func hides(bytes name: UnsafeBufferPointer<UInt8>, in place: Place) -> Bool {
    let isFound = NameScan.finds(in: name, words: hidesSecretNames) { form in
      hidesSecretNames && form.looksSecret || names.have(place) { $0.contains(form) }
    }
    return isFound || names.have(place) { !$0.odd.isEmpty && Self.isOdd(name, in: $0.odd) }
  }

  /// Whether it was given as the name of a header field.
  func isHeaderName(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    names.have(.header) { names in
      NameScan.finds(in: name, words: false, names.contains)
        || !names.odd.isEmpty && Self.isOdd(name, in: names.odd)
    }
  }

  /// Whether it is one of the names, or has it for a part, that are not ASCII letters and digits only.
  private static func isOdd(_ name: UnsafeBufferPointer<UInt8>, in names: Set<SecretName>) -> Bool {
    let name = String(decoding: name, as: UTF8.self)
    let parts = name.split { $0 == "[" || $0 == "]" || $0 == "." }
    return names.contains(SecretName(name)) || parts.contains { names.contains(SecretName($0)) }
  }
}
