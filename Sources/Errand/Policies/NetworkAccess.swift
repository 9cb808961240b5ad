/// The kinds of special networks that a request may use: cellular, expensive and constrained networks.
///
/// ```swift
/// struct GetMovie: DownloadRequest {
///   let path = "movies/7"
///   var destination: URL { .documentsDirectory.appending(path: "movie-7.mp4") }
///   let networkAccess = NetworkAccess.unmetered
/// }
/// ```
public struct NetworkAccess: OptionSet, Sendable, Hashable {
  /// The bits of the set.
  public let rawValue: Int

  /// Creates a set from bits; unknown bits are removed.
  public init(rawValue: Int) { self.rawValue = rawValue & 0b111 }

  /// Cellular networks.
  public static let cellular = NetworkAccess(rawValue: 0b001)
  /// Networks the system considers expensive, such as personal hotspots.
  public static let expensive = NetworkAccess(rawValue: 0b010)
  /// Networks in Low Data Mode.
  public static let constrained = NetworkAccess(rawValue: 0b100)
  /// Networks that are neither cellular nor expensive, even in Low Data Mode.
  public static let unmetered: NetworkAccess = .constrained
  /// All kinds; the default.
  public static let all: NetworkAccess = [.cellular, .expensive, .constrained]

  var summary: String {
    let names: [(NetworkAccess, String)] = [
      (.cellular, "cellular"), (.expensive, "expensive"), (.constrained, "constrained"),
    ]
    let missing = names.filter { !contains($0.0) }.map { "not \($0.1)" }
    return missing.isEmpty ? "all" : missing.joined(separator: ", ")
  }
}
