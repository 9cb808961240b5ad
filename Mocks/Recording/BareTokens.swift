import ErrandJSON
import Errand
import Foundation

/// Finds JSON Web Tokens (RFC 7519) by form, regardless of the field name.
enum BareTokens {
  /// The base64url digits for `{"` before a letter, the usual start of a token's header.
  private static let start = Array("eyJ".utf8)

  static func found(in texts: [String]) -> [Secret] {
    Set(texts.flatMap(tokens)).sorted().map { Secret($0) }
  }

  private static func tokens(in text: String) -> [String] {
    text.utf8.split { !isPart($0) }.compactMap { run in
      let run = withoutOuterStops(run)
      let groups = run.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      // A signed token has three groups, an encrypted token five (RFC 7515, RFC 7516).
      guard [3, 5].contains(groups.count), groups[0].starts(with: start), isHead(groups[0]) else {
        return nil
      }
      return String(Substring(run))
    }
  }

  /// Removes full stops before and after a token, for example at the end of a sentence.
  private static func withoutOuterStops(_ run: Substring.UTF8View) -> Substring.UTF8View {
    var run = run.drop { $0 == UInt8(ascii: ".") }
    while run.last == UInt8(ascii: ".") { run.removeLast() }
    return run
  }

  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  private static func isHead(_ group: Substring.UTF8View) -> Bool {
    let standard = String(Substring(group)).replacing("-", with: "+").replacing("_", with: "/")
    let padded = standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: padded) else { return false }
    return (try? JSONCoding().decode(JSONValue.self, from: data))?.object != nil
  }
}
