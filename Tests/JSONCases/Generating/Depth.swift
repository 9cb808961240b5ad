package import Foundation

/// How deep a document is nested, judged before Foundation sees it, which is ended by some of depth 513.
package enum Depth {
  /// The most levels that are read.
  package static let limit = 512

  package enum Answer: Sendable { case fits, tooDeep, unclear }

  /// Whether all readers of this document find at most 512 levels, or at least 513.
  package static func judge(_ document: Data, _ settings: CaseSettings) -> Answer {
    let limit = settings.assumesTopLevelDictionary ? limit - 1 : limit
    if document.count(where: { $0 == 0x5B || $0 == 0x7B }) <= limit { return .fits }
    // Where quotes and comments are read in another way, or bytes are not letters, nobody can tell from here. The four
    // bytes behind `\u` are skipped by Foundation whatever they are.
    let isPlain = !settings.allowsJSON5 && document.prefix(4).allSatisfy { $0 != 0 && $0 < 0xF0 }
    guard isPlain, document.firstRange(of: Data("\\u".utf8)) == nil else { return .unclear }
    let brackets = deepest(document)
    // Whether a brace is missing, which counts as a level, is not looked into.
    if settings.assumesTopLevelDictionary, brackets == limit + 1 { return .unclear }
    return brackets > limit ? .tooDeep : .fits
  }

  /// The deepest level of UTF-8.
  package static func deepest(_ document: Data) -> Int {
    var (depth, deepest, isInString, isEscaped) = (0, 0, false, false)
    for byte in document {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == 0x5C {
          isEscaped = true
        } else if byte == 0x22 {
          isInString = false
        }
        continue
      }
      switch byte {
      case 0x22: isInString = true
      case 0x5B, 0x7B:
        depth += 1
        deepest = max(deepest, depth)
      case 0x5D, 0x7D: depth -= 1
      default: break
      }
    }
    return deepest
  }
}
