/// A failure to read or write a file.
public struct FileError: Error, Hashable, CustomStringConvertible {
  /// The path of the file; empty if a text was read instead.
  ///
  /// If a URL is not a file URL, the property contains the redacted URL.
  public let path: String
  /// The problem, as a phrase that follows the path: `is accessible to other users: set its mode to 600`.
  public let reason: String

  package init(path: String, reason: String) { (self.path, self.reason) = (path, reason) }

  package init(path: String, problem: RegularFile.Problem) { self.init(path: path, reason: problem.clause) }

  /// The path, if any, followed by the reason.
  public var description: String { path.isEmpty ? reason : "\(path.printed) \(reason)" }
}
