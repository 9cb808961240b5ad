/// A failure to read or write a file.
public struct FileError: Error, Hashable, CustomStringConvertible {
  /// The path of the file, or a redacted URL that is not a file URL; empty if a text was read instead.
  public let path: String
  /// The problem, as the end of a sentence: `is accessible to other users: set its mode to 600`.
  public let reason: String

  package init(path: String, reason: String) { (self.path, self.reason) = (path, reason) }

  package init(path: String, problem: RegularFile.Problem) { self.init(path: path, reason: problem.clause) }

  /// The path, if any, with most control characters escaped, and the reason.
  public var description: String { path.isEmpty ? reason : "\(path.printed) \(reason)" }
}
