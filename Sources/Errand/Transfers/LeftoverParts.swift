import Foundation

/// Abandoned files of downloads without resumption, left for example by a process that was killed.
enum LeftoverParts {
  private static let swept = Locked(Set<String>())

  static func name(_ number: Int) -> String {
    ".errand-\(ProcessInfo.processInfo.processIdentifier)-\(number).part"
  }

  /// Removes the abandoned files of a folder, usually once per process, because a sweep takes time.
  static func sweep(_ folder: String) {
    let isNew = swept.withLock { swept in
      if swept.count >= 1_000 { swept = [] }
      return swept.insert(folder).inserted
    }
    guard isNew, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
    let now = Int(SystemTime.date.timeIntervalSince1970)
    for name in names where isPart(name) { _ = UnfinishedFile.sweep("\(folder)/\(name)", now: now) }
  }

  /// Returns true for a name from ``name(_:)``.
  ///
  /// The name of a ``KeptPart`` has only a single hyphen.
  private static func isPart(_ name: String) -> Bool {
    guard name.hasPrefix(".errand-"), name.hasSuffix(".part") else { return false }
    let numbers = name.dropFirst(8).dropLast(5).split(separator: "-", omittingEmptySubsequences: false)
    return numbers.count == 2 && numbers.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(ASCII.isDigit) }
  }
}
