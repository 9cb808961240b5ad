/// Over which kinds of network a request may go, beside those that are neither of these; ``Request/networkAccess``.
///
/// ```swift
/// struct GetMovie: DownloadRequest {
///   let path = "movies/7"
///   let networkAccess = NetworkAccess.unmetered
/// }
/// ```
public struct NetworkAccess: OptionSet, Sendable, Hashable {
  /// One bit a kind.
  public let rawValue: Int

  /// Makes a set of its bits; those that mean nothing are left out.
  public init(rawValue: Int) { self.rawValue = rawValue & 0b111 }

  /// Networks of mobile telephones.
  public static let cellular = NetworkAccess(rawValue: 0b001)
  /// Networks that the system takes for dear: cellular ones, and a telephone that shares its own.
  public static let expensive = NetworkAccess(rawValue: 0b010)
  /// Networks on which the user has asked to save data (Low Data Mode).
  public static let constrained = NetworkAccess(rawValue: 0b100)
  /// Wi-Fi and cable that cost nothing, also where the user has asked to save data; `[]` leaves out these too.
  public static let unmetered: NetworkAccess = .constrained
  /// All of them: the default of every request.
  public static let all: NetworkAccess = [.cellular, .expensive, .constrained]

  /// Such as `not cellular, not expensive`.
  var summary: String {
    let names: [(NetworkAccess, String)] = [
      (.cellular, "cellular"), (.expensive, "expensive"), (.constrained, "constrained"),
    ]
    let missing = names.filter { !contains($0.0) }.map { "not \($0.1)" }
    return missing.isEmpty ? "all" : missing.joined(separator: ", ")
  }
}
