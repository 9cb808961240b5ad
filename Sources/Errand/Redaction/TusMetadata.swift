/// Redacts `Upload-Metadata`: pairs of a name and a value in Base64 (tus resumable upload 1.0.0).
enum TusMetadata {
  static func redacted(_ text: String, by redaction: Redaction) -> String {
    text.split(separator: ",", omittingEmptySubsequences: false).map { pair in
      let words = pair.split(separator: " ", maxSplits: 1)
      guard words.count == 2, redaction.hides(words[0], in: .field) else { return String(pair) }
      return "\(words[0]) \(Redaction.marker)"
    }.joined(separator: ",")
  }
}
