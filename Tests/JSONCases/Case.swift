package import Foundation

/// A comparison: a type, settings and a document, reproducible from a seed and an index.
package struct Case: Sendable, CustomStringConvertible {
  package let index: Int
  package var type: CaseType
  package var settings: CaseSettings
  package var document: Data

  package init(seed: UInt64, index: Int) {
    var random = CaseRandom(seed: seed, index: index)
    self.index = index
    type = random.one(of: CaseType.all)
    settings = CaseSettings(using: &random)
    var bytes = DocumentWriter.document(type.shape, settings, using: &random)
    Mutation.apply(to: &bytes, using: &random)
    document = Data(bytes)
  }

  /// Returns a case whose document has one to four further random changes.
  package static func mutated(seed: UInt64, index: Int) -> Case {
    var made = Case(seed: seed, index: index)
    var random = CaseRandom(seed: ~seed, index: index)
    var bytes = [UInt8](made.document)
    for _ in 0...random.below(4) { Mutation.byte(of: &bytes, using: &random) }
    made.document = Data(bytes)
    return made
  }

  package init(type: CaseType, settings: CaseSettings = CaseSettings(), document: Data) {
    (index, self.type, self.settings, self.document) = (-1, type, settings, document)
  }

  /// Returns Foundation's outcome, with other bytes or with another strategy for dates.
  package func foundation(
    _ bytes: Data? = nil, dates: JSONDecoder.DateDecodingStrategy? = nil
  ) -> Outcome {
    var bytes = bytes ?? document
    // With these settings, Foundation reads a number past the end of the document, and may crash on the
    // following bytes.
    if settings.allowsJSON5 || settings.assumesTopLevelDictionary, !bytes.prefix(4).contains(0),
      let last = bytes.last,
      last != 0,
      last > 0x2A, last < 0x7B
    {
      bytes.append(0x20)
    }
    return type.decodeByFoundation(settings.decoder(dates: dates ?? settings.dates.strategy), bytes)
  }

  /// True if the document may crash Foundation's decoder.
  ///
  /// With JSON5, Foundation crashes on numbers such as `1e+` or `0x0x1`, and on unquoted names with an
  /// invalid first byte.
  var mayEndFoundation: Bool {
    guard settings.allowsJSON5 else { return false }
    if String(bytes: document, encoding: .utf8) == nil { return true }
    // Other encodings have zero bytes between the letters.
    let words = document.filter { $0 != 0 }.split { byte in
      !(0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || "+-.".utf8.contains(byte))
    }
    return words.contains { word in
      var digits = word
      if digits.first == 0x2B || digits.first == 0x2D { digits = digits.dropFirst() }
      if digits.contains(where: { $0 | 0x20 == 0x78 }) {
        let isHex = digits.dropFirst(2).allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 | 0x20 }
        return !isHex || digits.first != 0x30 || digits.count < 3
      }
      return digits.last == 0x2B || digits.last == 0x2D
        || digits.dropLast().contains(0x2B) && digits.contains(0x2D)
    }
  }

  package func ours() -> Outcome { type.decode(settings.coding, document) }

  package var description: String {
    let text =
      String(bytes: document, encoding: .utf8).map(\.debugDescription) ?? "base64 "
      + document.base64EncodedString()
    let shown = text.utf8.count > 1500 ? "\(text.prefix(1200))… (\(document.count) bytes)" : text
    return "#\(index) \(type.name)\n    settings: \(settings)\n    document: \(shown)"
  }
}
