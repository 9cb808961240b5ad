/// A set of names that are looked up by what a ``NameScan`` has of theirs.
struct SecretNames: Sendable, Hashable {
  private var names: Set<SecretName> = []
  /// Of those that are ASCII letters and digits.
  private var hashes: Set<UInt64> = []
  /// A bit for each of their lengths up to 63, which tells most others apart.
  private var lengths: UInt64 = 0
  /// The others, which are compared as texts.
  private(set) var odd: Set<SecretName> = []

  init(_ names: [String] = []) { insert(names) }

  func adding(_ more: [String]) -> SecretNames {
    var names = self
    names.insert(more)
    return names
  }

  var isEmpty: Bool { names.isEmpty }

  private mutating func insert(_ more: [String]) {
    for name in more.map(SecretName.init) where names.insert(name).inserted {
      guard !name.text.isEmpty, name.text.utf8.allSatisfy(ASCII.isAlphanumeric) else {
        odd.insert(name)
        continue
      }
      var form = NameScan.Form()
      for byte in name.text.utf8 { form.add(byte) }
      hashes.insert(form.hash)
      lengths |= 1 << UInt64(min(form.count, 63))
    }
  }

  func contains(_ form: NameScan.Form) -> Bool {
    lengths >> UInt64(min(form.count, 63)) & 1 == 1 && hashes.contains(form.hash)
  }
}
