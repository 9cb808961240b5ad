import Errand

/// What a request and an entry of a recording must have in common, for the entry to answer.
///
///     var matching = RecordingMatching()
///     matching.ignoresHost = true
///     matching.ignoredQueryItems = ["timestamp"]
///     let transport = try RecordingTransport(file, matching: matching)
///
/// Method and path are always compared.
public struct RecordingMatching: Sendable, Hashable {
  /// Whether scheme, host and port make no difference; they do by default.
  public var ignoresHost = false
  /// The names of query items that make no difference, as they are after percent-decoding; none by default.
  public var ignoredQueryItems: Set<String> = []
  /// The header fields that are compared too, with their secrets hidden, in any case; none by default.
  public var comparedHeaders: Set<String> = []
  /// Whether the bodies of requests make no difference; otherwise they count where entries differ in them.
  public var ignoresBody = false
  /// Whether the bodies of requests count too where all entries of a method and URL have the same one, or there is but one entry:
  /// then a request with another body has none; `false` by default, and without effect with ``ignoresBody``.
  public var alwaysComparesBody = false

  /// Makes the defaults: method and URL are compared, and bodies where entries differ in theirs.
  public init() {}

  /// Those items of a query that are compared.
  func compared(_ items: [QueryItem]) -> [QueryItem] {
    ignoredQueryItems.isEmpty ? items : items.filter { !ignoredQueryItems.contains($0.name.text) }
  }

  /// Those fields of a head that are compared, in one form.
  func compared(_ headers: HTTPHeaders, by redaction: Redaction) -> [String] {
    guard !comparedHeaders.isEmpty else { return [] }
    let names = Set(comparedHeaders.map { $0.lowercased() })
    return redaction.headers(headers).fields.filter { names.contains($0.name.lowercased()) }
      .map { "\($0.name.lowercased()): \($0.value)" }.sorted()
  }
}
