import Foundation

enum FileName {
  /// The longest file name on most file systems, in bytes.
  private static let longest = 255

  static func proposed(by head: HTTPResponse) -> String {
    let disposition = ContentDisposition(of: head.headers)?.filename
    return disposition.flatMap(harmless) ?? (head.url?.lastPathComponent).flatMap(harmless) ?? "download"
  }

  static func numbered(_ name: String, with number: Int) -> String {
    guard number > 1 else { return name }
    let suffix = " (\(number))"
    let (stem, ending) = parts(of: name)
    return cut(stem, to: longest - suffix.utf8.count - ending.utf8.count) + suffix + ending
  }

  private static func harmless(_ name: String) -> String? {
    // A slash and a combining mark form a single `Character`, but the system treats the slash as a separator.
    guard let last = name.unicodeScalars.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last else {
      return nil
    }
    var kept = String.UnicodeScalarView()
    for scalar in last {
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: continue
      default: kept.append(":*?\"<>|".unicodeScalars.contains(scalar) ? "_" : scalar)
      }
    }
    let trimmed = String(kept).trimmingCharacters(in: .whitespaces).unicodeScalars.drop(while: isLeading)
    let (stem, ending) = parts(of: String(trimmed))
    let fitting = cut(stem, to: longest - ending.utf8.count) + ending
    return fitting.isEmpty ? nil : fitting
  }

  private static func isLeading(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark, .spaceSeparator: true
    default: scalar == "."
    }
  }

  private static func parts(of name: String) -> (stem: String, ending: String) {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return (name, "") }
    let ending = String(name[dot...])
    return ending.utf8.count > 20 ? (name, "") : (String(name[..<dot]), ending)
  }

  private static func cut(_ text: String, to length: Int) -> String {
    var (result, count) = ("", 0)
    for letter in text {
      count += letter.utf8.count
      if count > length { break }
      result.append(letter)
    }
    guard result.isEmpty else { return result }
    var scalars = String.UnicodeScalarView()
    count = 0
    for scalar in text.unicodeScalars {
      count += UTF8.width(scalar)
      if count > length { break }
      scalars.append(scalar)
    }
    return String(scalars)
  }
}
