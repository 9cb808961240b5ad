import Errand
import Foundation

extension RecordedEntries {
  /// The error of a request that no entry answers.
  ///
  /// - Parameter used: the entries that match it, and that answered others before.
  func unmatched(_ request: HTTPRequest, used: [Int]) -> TransportError {
    let name = file.lastPathComponent
    let line = "\(request.method) \(redaction.hidingCredentials(of: request).url(request.url))"
    let clause =
      if !used.isEmpty {
        "every entry of \(name) for \(line) was used: \(listed(used.map { "entry \($0 + 1)" }))"
      } else if entries.isEmpty {
        "no entry of \(name) answers \(line); it has none"
      } else {
        "no entry of \(name) answers \(line); nearest: \(listed(nearest(to: request)))"
      }
    return TransportError(.unmatchedStub, "\(clause). Record it once with the mode recordMissing")
  }

  private func listed(_ texts: [String]) -> String { texts.joined(separator: "; ") }
}
