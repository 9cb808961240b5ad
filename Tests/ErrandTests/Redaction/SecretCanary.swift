import Foundation

@testable import Errand

/// A text that must not be printed in any form.
struct SecretCanary {
  let text: String

  /// True for the canary, or the first or last eight bytes, in plain, escaped and Base64 forms.
  func isSeen(in printed: String) -> Bool {
    let bytes = Array(text.utf8)
    let pieces = [bytes, Array(bytes.prefix(8)), Array(bytes.suffix(8))]
    let texts = Self.unescaped(printed) + Self.decodedBase64(in: printed)
    if texts.contains(where: { text in pieces.contains { Self.contains($0, in: text) } }) { return true }
    let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return printed.lowercased().contains(hex)
  }

  private static func contains(_ piece: [UInt8], in text: [UInt8]) -> Bool {
    // Foundation's search is compiled with optimization.
    Data(text).range(of: Data(piece)) != nil
  }

  private static func unescaped(_ printed: String) -> [[UInt8]] {
    let raw = Array(printed.utf8)
    let once = PercentEncoding.decode(raw[...], plusIsBlank: false)
    let json = Array(JSONEscapes.unescape(raw[...]).utf8)
    let html = [("&quot;", "\""), ("&lt;", "<"), ("&#39;", "'"), ("&amp;", "&")]
      .reduce(printed) { $0.replacing($1.0, with: $1.1) }
    return [
      raw, once, PercentEncoding.decode(once[...]), PercentEncoding.decode(raw[...], plusIsBlank: true), json,
      Array(JSONEscapes.unescape(json[...]).utf8), Array(html.utf8),
    ]
  }

  /// Each run of more than 8 Base64 characters, from each of four offsets.
  private static func decodedBase64(in printed: String) -> [[UInt8]] {
    let text = printed.replacing("%2B", with: "+").replacing("%2F", with: "/").replacing("-", with: "+")
      .replacing("_", with: "/")
    let runs = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "+" || $0 == "/") }
    return runs.filter { $0.count > 8 }.flatMap { run in
      (0..<4).compactMap { shift in
        let digits = run.dropFirst(shift)
        return Data(base64Encoded: String(digits.prefix(digits.count / 4 * 4))).map(Array.init)
      }
    }
  }
}
