/// Why a file cannot be read or written.
public struct FileError: Error, Hashable, CustomStringConvertible {
  /// The path of the file; empty for a text that was not read from a file.
  public let path: String
  /// What is wrong, as a clause: `can be read by others: make its mode 600`.
  public let reason: String

  package init(path: String, reason: String) { (self.path, self.reason) = (path, reason) }

  package init(path: String, problem: RegularFile.Problem) { self.init(path: path, reason: problem.clause) }

  /// The path and the reason.
  public var description: String { path.isEmpty ? reason : "\(path.printed) \(reason)" }
}
