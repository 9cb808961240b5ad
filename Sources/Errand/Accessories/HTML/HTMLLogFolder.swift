import Foundation

/// The folder of a run, beside those of earlier runs, and the page that leads to the newest.
struct HTMLLogFolder {
  /// Where the folders of all runs are.
  let directory: String
  /// What the names of files and folders begin with.
  let name: String
  private let started: Date
  private let limits: HTMLLogger.Limits
  /// The name of this run's folder, once it was made.
  private(set) var run: String?

  init(directory: URL, name: String, started: Date, limits: HTMLLogger.Limits) {
    self.directory = directory.path
    let letters = name.unicodeScalars.map { scalar in
      scalar.isASCII && (ASCII.isAlphanumeric(UInt8(scalar.value)) || "_-.".unicodeScalars.contains(scalar))
        ? Character(scalar) : "-"
    }
    let shown = String(letters.drop { $0 == "." }.prefix(100))
    self.name = shown.isEmpty ? "errand" : shown
    (self.started, self.limits) = (started, limits)
  }

  var newest: String { "\(directory)/\(name)_log_newest.html" }

  /// Makes a page, the folders for it where there are none, and lets the newest lead there; older ones are removed.
  ///
  /// - Returns: its path, and its size in bytes.
  mutating func begin(page number: Int) throws(RegularFile.Problem) -> (path: String, size: Int) {
    // Somebody may have removed it.
    if let run, access("\(directory)/\(run)", F_OK) != 0 { self.run = nil }
    let run: String
    if let known = self.run { run = known } else { run = try makeRun() }
    self.run = run
    let path = "\(directory)/\(run)/\(Self.file(number))"
    let title = "\(name), \(Self.stamp(started))"
    let text = HTMLLogPage.head(title: title) + HTMLLogBlock.text(ofRun: title, page: number)
    try HTMLLogFile.make(path, text)
    try PrivateFile.write(HTMLLogPage.leading(to: "\(run)/\(Self.file(number))", title: title), to: newest)
    prune(sparing: path)
    return (path, text.count)
  }

  static func file(_ number: Int) -> String { "page-\(number).html" }

  /// Such as `2026-11-24T08-26-48Z`, as a name of a file may have no colons everywhere.
  static func stamp(_ date: Date) -> String { date.formatted(.iso8601).replacing(":", with: "-") }

  private func makeRun() throws(RegularFile.Problem) -> String {
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      // A clause, where the system has a sentence.
      let reason = (error as NSError).localizedDescription
      throw RegularFile.Problem(
        "cannot be made: \(reason.hasSuffix(".") ? String(reason.dropLast()) : reason)")
    }
    let base = "\(name)_log_\(Self.stamp(started))"
    for attempt in 1...99 {
      let run = attempt == 1 ? base : "\(base)_\(attempt < 10 ? "0" : "")\(attempt)"
      if mkdir("\(directory)/\(run)", 0o700) == 0 { return run }
      guard errno == EEXIST else {
        throw RegularFile.Problem("cannot be made: \(String(cString: strerror(errno)))")
      }
    }
    throw RegularFile.Problem("cannot be made: a hundred runs began in this second")
  }

  /// Removes the oldest runs and pages until the rest keeps the limits; nothing that it does not know by name.
  private func prune(sparing current: String) {
    let runs = Self.names(in: directory).filter(isRun).sorted()
    let old = runs.filter { $0 != run }.dropLast(max(limits.runs - 1, 0))
    for run in old {
      for page in Self.pages(in: "\(directory)/\(run)") { unlink(page) }
      rmdir("\(directory)/\(run)")
    }
    let pages = runs.flatMap { Self.pages(in: "\(directory)/\($0)") }
    var total = pages.reduce(0) { $0 + HTMLLogFile.size($1) }
    for page in pages where total > limits.totalSize && page != current {
      total -= HTMLLogFile.size(page)
      unlink(page)
      // Of its folder nothing may be left.
      rmdir((page as NSString).deletingLastPathComponent)
    }
  }

  private static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  /// Whether it is the name that a run with this name has: digits where the time has some.
  private func isRun(_ folder: String) -> Bool {
    guard folder.hasPrefix("\(name)_log_") else { return false }
    let rest = folder.dropFirst(name.count + 5)
    let shape = rest.map { $0.isASCII && $0.isNumber ? "0" : $0 }
    let full = "0000-00-00T00-00-00Z"
    return String(shape) == full || String(shape) == full + "_00"
  }

  /// The paths of the pages of a run, in order.
  private static func pages(in folder: String) -> [String] {
    let numbers = names(in: folder).compactMap { name -> Int? in
      guard name.hasPrefix("page-"), name.hasSuffix(".html") else { return nil }
      return Int(name.dropFirst(5).dropLast(5))
    }
    return numbers.sorted().map { "\(folder)/\(file($0))" }
  }
}

/// Files that are only added to, and that their owner alone may read.
enum HTMLLogFile {
  /// Makes a file that is not there yet.
  static func make(_ path: String, _ text: Data) throws(RegularFile.Problem) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw problem(errno) }
    defer { close(descriptor) }
    guard let code = write(text, to: descriptor) else { return }
    unlink(path)
    throw problem(code)
  }

  /// Adds to a file; when that fails on the way, it is as it was.
  static func append(_ text: Data, to path: String) throws(RegularFile.Problem) {
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw problem(errno) }
    defer { close(descriptor) }
    var info = stat()
    let isKnown = fstat(descriptor, &info) == 0
    guard let code = write(text, to: descriptor) else { return }
    // Half an event would swallow the next.
    if isKnown { ftruncate(descriptor, info.st_size) }
    throw problem(code)
  }

  /// In bytes; 0 where there is none.
  static func size(_ path: String) -> Int {
    var info = stat()
    return stat(path, &info) == 0 ? Int(info.st_size) : 0
  }

  /// Writes all of it, or gives the system's number of what went wrong.
  private static func write(_ text: Data, to descriptor: Int32) -> Int32? {
    text.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = UnsafeRawBufferPointer(rebasing: rest)
        let count = Foundation.write(descriptor, piece.baseAddress, piece.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return errno }
        rest = rest.dropFirst(count)
      }
      return nil
    }
  }

  private static func problem(_ code: Int32) -> RegularFile.Problem {
    RegularFile.Problem("cannot be written: \(String(cString: strerror(code)))")
  }
}
