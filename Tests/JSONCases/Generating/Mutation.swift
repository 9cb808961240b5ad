import Foundation

/// Random damage of documents: other encodings, lost, added and changed bytes, and depth.
enum Mutation {
  /// Sometimes applies a kind of damage.
  static func apply(to document: inout [UInt8], using random: inout CaseRandom) {
    switch random.below(100) {
    case 0..<12: for _ in 0...random.below(3) { byte(of: &document, using: &random) }
    case 12..<15: document.removeLast(min(document.count, 1 + random.below(1 + document.count)))
    case 15..<18:
      document.append(
        contentsOf: Array(
          random.one(of: ["\0", " \0", "x", ",", " ", "\n", "}", "]", "1", "\u{FEFF}"]).utf8))
    case 18..<20:
      document.insert(
        contentsOf: Array(
          random.one(of: [" ", "\n\t", "\u{FEFF}", "\u{FEFF}\u{FEFF}", "\0", ","]).utf8),
        at: 0)
    case 20..<23: encode(&document, using: &random)
    case 23:
      if random.chance(200) {
        nest(
          &document, random.chance(20) ? 500 + random.below(16) : random.below(60), using: &random)
      }
    default: break
    }
  }

  /// Changes the document at one position.
  static func byte(of document: inout [UInt8], using random: inout CaseRandom) {
    guard !document.isEmpty else { return document.append(random.one(of: Samples.syntax)) }
    let place = random.below(document.count)
    switch random.below(8) {
    case 0: document[place] = random.one(of: Samples.syntax)
    case 1: document[place] = UInt8(truncatingIfNeeded: random.next())
    case 2: document.remove(at: place)
    case 3: document.insert(random.one(of: Samples.syntax), at: place)
    case 4: document.insert(contentsOf: Array(random.one(of: Samples.numbers).utf8), at: place)
    case 5:
      document.insert(contentsOf: Array("\"\(random.one(of: Samples.texts))\"".utf8), at: place)
    case 6: document.removeSubrange(place..<min(document.count, place + 1 + random.below(6)))
    default:
      // Repeats a piece of the document.
      let piece = Array(document[place..<min(document.count, place + 1 + random.below(30))])
      document.insert(contentsOf: piece, at: random.below(document.count + 1))
    }
  }

  private static func encode(_ document: inout [UInt8], using random: inout CaseRandom) {
    guard let text = String(bytes: document, encoding: .utf8) else { return }
    let encodings: [(String.Encoding, mark: [UInt8])] = [
      (.utf8, [0xEF, 0xBB, 0xBF]), (.utf16LittleEndian, []), (.utf16BigEndian, []),
      (.utf16LittleEndian, [0xFF, 0xFE]),
      (.utf16BigEndian, [0xFE, 0xFF]), (.utf32LittleEndian, []), (.utf32BigEndian, []),
      (.utf32LittleEndian, [0xFF, 0xFE, 0, 0]), (.utf32BigEndian, [0, 0, 0xFE, 0xFF]),
    ]
    let (encoding, mark) = random.one(of: encodings)
    guard let encoded = text.data(using: encoding) else { return }
    document = mark + encoded
    if random.chance(200) { byte(of: &document, using: &random) }
  }

  /// Adds `depth` levels around or before the document.
  ///
  /// Depths near the limit are rare, because types with several attempts on each level take seconds for the
  /// coding paths of their errors.
  private static func nest(_ document: inout [UInt8], _ depth: Int, using random: inout CaseRandom) {
    switch random.below(4) {
    case 0:
      document =
        Array(repeating: 0x5B, count: depth) + document + Array(repeating: 0x5D, count: depth)
    case 1:
      let open = Array(#"{"items":"#.utf8)
      document =
        Array(Array(repeating: open, count: depth).joined()) + document
        + Array(repeating: 0x7D, count: depth)
    case 2: document = Array(repeating: 0x5B, count: depth) + document
    default:
      // Puts the depth into a member that few types read.
      let deep =
        Array(#"{"ignored":"#.utf8) + Array(repeating: 0x5B, count: depth)
        + Array(repeating: 0x5D, count: depth)
      document = deep + Array(",".utf8) + document.dropFirst()
    }
  }
}
