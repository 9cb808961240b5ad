package import Foundation

package final class JSONKeyNaming {
  private let strategy: JSONEncoder.KeyEncodingStrategy

  private var names = JSONNameCache()

  package init?(_ strategy: JSONEncoder.KeyEncodingStrategy) {
    if case .useDefaultKeys = strategy { return nil }
    self.strategy = strategy
  }

  package func name(of key: some CodingKey, path: () -> [any CodingKey]) -> String {
    switch strategy {
    case .useDefaultKeys: key.stringValue
    case .convertToSnakeCase: names.name(of: key.stringValue, else: Self.snakeCased)
    case .custom(let convert): convert(path() + [key]).stringValue
    @unknown default: key.stringValue
    }
  }

  /// Converts a key.
  ///
  /// For example, `myURLProperty` becomes `my_url_property`.
  static func snakeCased(_ key: String) -> String {
    if key.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return snakeCased(ascii: Array(key.utf8)) }
    return askFoundation(key)
  }

  private static func snakeCased(ascii key: [UInt8]) -> String {
    func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
    func isLower(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    var words: [Range<Int>] = []
    var (start, search) = (0, min(1, key.count))
    while let upper = key[search...].firstIndex(where: isUpper) {
      words.append(start..<upper)
      start = upper
      search = key.count
      guard let lower = key[upper...].firstIndex(where: isLower) else { break }
      if lower > upper + 1 {
        words.append(upper..<lower - 1)
        start = lower - 1
      }
      search = lower + 1
    }
    words.append(start..<key.count)
    let lowercased = words.map { key[$0].map { isUpper($0) ? $0 | 0x20 : $0 } }
    return String(decoding: Array(lowercased.joined(separator: [0x5F])), as: UTF8.self)
  }

  /// Converts a key by Foundation's encoder, for characters beyond printable ASCII.
  private static func askFoundation(_ key: String) -> String {
    struct Single: Encodable {
      let key: JSONKey
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONKey.self)
        try container.encode(true, forKey: key)
      }
    }
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let object = try? encoder.encode(Single(key: JSONKey(stringValue: key)))
    let names = object.flatMap { try? JSONDecoder().decode([String: Bool].self, from: $0) }
    return names?.keys.first ?? key
  }
}

/// The converted names of keys; limited in size, because an app may encode any number of keys.
private struct JSONNameCache {
  private static let size = 512
  private var entries: [(key: String, name: String)?] = []
  private var remainingEntries = 256

  mutating func name(of key: String, else make: (String) -> String) -> String {
    if entries.isEmpty { entries = Array(repeating: nil, count: Self.size) }
    var place = Self.place(of: key)
    // At most half of the positions are used, so the loop ends.
    while let entry = entries[place] {
      if entry.key == key { return entry.name }
      place = (place + 1) & (Self.size - 1)
    }
    let name = make(key)
    if remainingEntries > 0 {
      entries[place] = (key, name)
      remainingEntries -= 1
    }
    return name
  }

  private static func place(of key: String) -> Int {
    var key = key
    return key.withUTF8 { bytes in
      var hash = UInt64(truncatingIfNeeded: bytes.count)
      guard let source = bytes.baseAddress, !bytes.isEmpty else { return 0 }
      var place = 0
      while place < bytes.count {
        hash = (hash ^ JSONWord.load(source + place, left: bytes.count - place)) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 29
        place += 8
      }
      return Int(truncatingIfNeeded: hash >> 40) & (size - 1)
    }
  }
}
