package import Foundation

/// The nesting depth of a document, judged before Foundation decodes the document.
///
/// Foundation crashes on some documents with depth 513.
package enum Depth {
  /// The maximum number of levels.
  package static let limit = 512

  package enum Answer: Sendable { case fits, tooDeep, unclear }

  /// Returns whether all decoders find at most 512 levels, or at least 513 levels, or whether the depth is
  /// unclear.
  package static func judge(_ document: Data, _ settings: CaseSettings) -> Answer {
    let limit = settings.assumesTopLevelDictionary ? limit - 1 : limit
    if document.count(where: { $0 == 0x5B || $0 == 0x7B }) <= limit { return .fits }
    // With other rules for quotes and comments, or other encodings, the depth is unclear. Foundation skips
    // the four bytes after `\u` without a check.
    let isPlain = !settings.allowsJSON5 && document.prefix(4).allSatisfy { $0 != 0 && $0 < 0xF0 }
    guard isPlain, document.firstRange(of: Data("\\u".utf8)) == nil else { return .unclear }
    let brackets = deepest(document)
    // A missing brace counts as a level, and is not checked here.
    if settings.assumesTopLevelDictionary, brackets == limit + 1 { return .unclear }
    return brackets > limit ? .tooDeep : .fits
  }

  /// Returns the depth of a UTF-8 document.
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
