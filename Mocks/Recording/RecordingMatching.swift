import Errand

/// The rules for matching a request with an entry of a recording.
///
///     var matching = RecordingMatching()
///     matching.ignoredQueryItems = ["timestamp"]
///
/// Method and path are always compared.
public struct RecordingMatching: Sendable, Hashable {
  /// True if scheme, host and port are ignored; `false` by default.
  public var ignoresHost = false
  /// The names of ignored query items, percent-decoded; empty by default.
  public var ignoredQueryItems: Set<String> = []
  /// The names of compared header fields, in any letter case; empty by default.
  public var comparedHeaders: Set<String> = []
  /// True if request bodies are ignored; `false` by default.
  ///
  /// If `false`, bodies are compared when several matching entries have different bodies, and always in the
  /// mode ``RecordingTransport/Mode/recordMissing``.
  public var ignoresBody = false
  /// True if request bodies are always compared, unless ``ignoresBody`` is true; `false` by default.
  public var alwaysComparesBody = false

  /// Creates the default rules.
  public init() {}

  func compared(_ items: [QueryItem]) -> [QueryItem] {
    ignoredQueryItems.isEmpty ? items : items.filter { !ignoredQueryItems.contains($0.name.text) }
  }

  func compared(_ headers: HTTPHeaders, by redaction: Redaction) -> [String] {
    guard !comparedHeaders.isEmpty else { return [] }
    let names = Set(comparedHeaders.map { $0.lowercased() })
    return redaction.headers(headers).fields.filter { names.contains($0.name.lowercased()) }
      .map { "\($0.name.lowercased()): \($0.value)" }.sorted()
  }
}
