import BenchSupport
import Errand
import Foundation

/// Texts that are expensive for the search for secrets.
///
/// The total size in bytes is the number of requests of the run.
struct HostileTexts {
  private static let parts = [
    "token ", "\"a\" ", "\\", "a ", "Bearer ", "{", "token:", "http://", "'", "[\"", "token={", "a\\\"", "=",
    "a:",
    "&=", "secret-number-", "%73", "\\u0073", "&#115;", "\\ud83d\\",
  ]

  private let redaction = Redaction.standard.hiding(
    secrets: (0..<20).map { Secret("secret-number-\($0)-of-twenty") })
  private let texts: [String]

  init(_ options: Options) {
    let size = options.requests / Self.parts.count
    texts = Self.parts.map { String(repeating: $0, count: size / $0.utf8.count) }
  }

  /// Redacts each text as a text and as a body.
  func redact() {
    for text in texts {
      _ = redaction.text(text)
      _ = redaction.body(Data("{\(text)".utf8), contentType: nil)
    }
  }
}
