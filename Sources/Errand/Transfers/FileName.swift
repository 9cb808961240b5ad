import Foundation

/// Names of files that a server proposes, made harmless.
enum FileName {
  /// What most file systems take, in bytes.
  private static let longest = 255

  /// The name of a downloaded file: that of `Content-Disposition`, else the last part of the URL's path, else `download`.
  static func proposed(by head: HTTPResponse) -> String {
    let disposition = ContentDisposition(of: head.headers)?.filename
    return disposition.flatMap(harmless) ?? (head.url?.lastPathComponent).flatMap(harmless) ?? "download"
  }

  /// `name (2).csv` for the second one.
  static func numbered(_ name: String, with number: Int) -> String {
    guard number > 1 else { return name }
    let suffix = " (\(number))"
    let (stem, ending) = parts(of: name)
    return cut(stem, to: longest - suffix.utf8.count - ending.utf8.count) + suffix + ending
  }

  /// The name without directories, dots in front, what is not shown or turns the text around, and what some file systems do not take; `nil`
  /// where nothing is left.
  private static func harmless(_ name: String) -> String? {
    // By scalars, as the system has no letters: a slash with a mark is one for it.
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

  /// Whether it may not begin a name: what hides a file, and marks without a letter of their own.
  private static func isLeading(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark, .spaceSeparator: true
    default: scalar == "."
    }
  }

  /// The name and its ending of up to 20 bytes with its dot.
  private static func parts(of name: String) -> (stem: String, ending: String) {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return (name, "") }
    let ending = String(name[dot...])
    return ending.utf8.count > 20 ? (name, "") : (String(name[..<dot]), ending)
  }

  /// As many whole letters as fit; of a letter that fits nowhere, with its marks, as much as does.
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
