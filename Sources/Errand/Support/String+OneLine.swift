import Foundation

extension String {
  /// The text without its line breaks and the blanks around them; one blank stands for each.
  var onOneLine: String {
    let lines = split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
    return lines.filter { !$0.isEmpty }.joined(separator: " ")
  }
}
