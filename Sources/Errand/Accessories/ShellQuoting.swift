import Foundation

/// Text as a POSIX shell takes it literally (IEEE Std 1003.1, section 2.2.2).
enum ShellQuoting {
  /// In single quotes, between which nothing has a meaning; a quote itself stands outside of them: `'it'\''s'`.
  static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }

  /// A `printf` that writes the bytes, whatever they are.
  static func printf(_ bytes: Data) -> String {
    let escaped = bytes.map { byte in
      ASCII.isAlphanumeric(byte) ? String(Unicode.Scalar(byte)) : "\\" + octal(byte)
    }
    return "printf '\(escaped.joined())'"
  }

  /// Three digits, so that one that follows is not taken for a fourth.
  private static func octal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 8)
    return String(repeating: "0", count: 3 - digits.count) + digits
  }
}
