import Foundation

/// The unfinished files of killed processes, from downloads that cannot be resumed.
enum LeftoverParts {
  /// The folders already swept by the process; cleared at 1,000 entries.
  private static let swept = Locked(Set<String>())

  static func name(_ number: Int) -> String {
    ".errand-\(ProcessInfo.processInfo.processIdentifier)-\(number).part"
  }

  /// Removes the unfinished files of ended processes from a folder.
  ///
  /// Each process sweeps a folder once, because a folder may have many files. After 1,000 folders,
  /// the process sweeps each folder again. A file in progress is locked, and stays. On a file
  /// system without locks, a file stays until an hour after its last change.
  static func sweep(_ folder: String) {
    let isNew = swept.withLock { swept in
      if swept.count >= 1_000 { swept = [] }
      return swept.insert(folder).inserted
    }
    guard isNew, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
    let now = Int(SystemTime.date.timeIntervalSince1970)
    for name in names where isPart(name) { _ = UnfinishedFile.sweep("\(folder)/\(name)", now: now) }
  }

  /// True for the name of an unfinished file, with two numbers; the name of a ``KeptPart`` has a
  /// single number.
  private static func isPart(_ name: String) -> Bool {
    guard name.hasPrefix(".errand-"), name.hasSuffix(".part") else { return false }
    let numbers = name.dropFirst(8).dropLast(5).split(separator: "-", omittingEmptySubsequences: false)
    return numbers.count == 2 && numbers.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(ASCII.isDigit) }
  }
}
