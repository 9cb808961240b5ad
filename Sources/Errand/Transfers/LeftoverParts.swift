import Foundation

/// The unfinished files of downloads that are not gone on with, which a process that is killed leaves in its folder.
enum LeftoverParts {
  /// The folders that this process has swept; forgotten where these become too many.
  private static let swept = Locked(Set<String>())

  /// The name of an unfinished file of this process: `.errand-4711-1.part`.
  static func name(_ number: Int) -> String {
    ".errand-\(ProcessInfo.processInfo.processIdentifier)-\(number).part"
  }

  /// Removes what ended processes have left in a folder, once for each folder, because a folder may have many files.
  ///
  /// A file that another download is writing is locked, and stays.
  static func sweep(_ folder: String) {
    let isNew = swept.withLock { swept in
      if swept.count >= 1_000 { swept = [] }
      return swept.insert(folder).inserted
    }
    guard isNew, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
    let now = Int(SystemTime.date.timeIntervalSince1970)
    for name in names where isPart(name) { _ = UnfinishedFile.sweep("\(folder)/\(name)", now: now) }
  }

  /// Whether a name is that of an unfinished file of any process; a ``KeptPart`` has one number alone.
  private static func isPart(_ name: String) -> Bool {
    guard name.hasPrefix(".errand-"), name.hasSuffix(".part") else { return false }
    let numbers = name.dropFirst(8).dropLast(5).split(separator: "-", omittingEmptySubsequences: false)
    return numbers.count == 2 && numbers.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(ASCII.isDigit) }
  }
}
