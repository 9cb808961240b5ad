import Errand
import Foundation

/// The folder of a run of the logger, with a page that redirects the browser to the newest page of the log.
struct HTMLLogFolder {
  let directory: String
  let name: String
  private let started: Date
  private let limits: HTMLLogger.Limits
  private let isLocal: Bool
  private(set) var run: String?
  private var use: FolderUse?
  /// The newest page, if the redirecting page does not lead there yet; otherwise `nil`.
  private var unlinkedPage: String?

  struct Failure: Error {
    let path: String
    let problem: RegularFile.Problem

    init(path: String, problem: RegularFile.Problem) { (self.path, self.problem) = (path, problem) }
  }

  init(directory: URL, name: String, started: Date, limits: HTMLLogger.Limits) {
    isLocal = directory.isFileURL || directory.scheme == nil
    self.directory = isLocal ? directory.path : Redaction.standard.url(directory).printed
    let letters = name.unicodeScalars.map { scalar in
      scalar.isASCII && (ASCII.isAlphanumeric(UInt8(scalar.value)) || "_-.".unicodeScalars.contains(scalar))
        ? Character(scalar) : "-"
    }
    let shown = String(letters.drop { $0 == "." }.prefix(100))
    self.name = shown.isEmpty ? "errand" : shown
    (self.started, self.limits) = (started, limits)
  }

  var newest: String { "\(directory)/\(name)_log_newest.html" }

  private var title: String { "\(name), \(Self.stamp(started))" }

  /// Creates a page.
  ///
  /// May remove older pages, but not the page `kept`.
  mutating func begin(page number: Int, keeping kept: String?) throws(Failure) -> (path: String, size: Int) {
    if let run, access("\(directory)/\(run)", F_OK) != 0 { (self.run, use) = (nil, nil) }
    let run: String
    if let known = self.run { run = known } else { run = try makeRun() }
    let page = "\(run)/\(Self.file(number))"
    let path = "\(directory)/\(page)"
    let text = HTMLLogPage.head(title: title) + HTMLLogBlock.text(ofRun: title, page: number)
    do throws(RegularFile.Problem) { try HTMLLogFile.make(path, with: text) } catch {
      throw Failure(path: path, problem: error)
    }
    unlinkedPage = page
    prune(sparing: [path] + (kept.map { [$0] } ?? []))
    return (path, text.count)
  }

  mutating func linkNewestPage() throws(Failure) {
    guard let page = unlinkedPage else { return }
    PrivateFile.sweep(newest, followsLinks: false)
    do throws(RegularFile.Problem) {
      // In a shared folder, another user may have chosen the target of a symbolic link.
      try PrivateFile.write(HTMLLogPage.leading(to: page, title: title), to: newest, followsLinks: false)
    } catch {
      throw Failure(path: newest, problem: error)
    }
    unlinkedPage = nil
  }

  static func file(_ number: Int) -> String { "page-\(number).html" }

  /// Returns a time with hyphens, because some file systems forbid colons in names.
  static func stamp(_ date: Date) -> String { date.formatted(.iso8601).replacing(":", with: "-") }

  private mutating func makeRun() throws(Failure) -> String {
    do throws(RegularFile.Problem) {
      let run = try makeFolders()
      (self.run, use) = (run, FolderUse("\(directory)/\(run)"))
      return run
    } catch {
      throw Failure(path: directory, problem: error)
    }
  }

  private func makeFolders() throws(RegularFile.Problem) -> String {
    guard isLocal else { throw RegularFile.Problem("is not a local folder: use a file URL") }
    try RegularFile.makeFolder(directory)
    let base = "\(name)_log_\(Self.stamp(started))"
    // The number of a new run follows the last number of the same second.
    let runs = Self.names(in: directory).filter { $0.hasPrefix(base) && isRun($0) }
    let last = runs.map(\.runNumber).max() ?? 0
    // Another logger may take a number first.
    for number in (last + 1)..<(last + Self.mostTries) {
      let run = number == 1 ? base : "\(base)_\(number < 10 ? "0" : "")\(number)"
      if mkdir("\(directory)/\(run)", 0o700) == 0 { return run }
      guard errno == EEXIST else {
        throw RegularFile.Problem("cannot be created: \(String(cString: strerror(errno)))")
      }
    }
    throw RegularFile.Problem("cannot be created: \(Self.mostTries) runs started in the same second")
  }

  private static let mostTries = 1_000

  /// Removes unused runs and old pages beyond the limits.
  ///
  /// Keeps the pages in `current`, and the newest page of each other run in use.
  private func prune(sparing current: [String]) {
    let runs = Self.names(in: directory).filter(isRun).sorted(by: Self.isEarlier).map {
      "\(directory)/\($0)"
    }
    let others = runs.filter { $0 != "\(directory)/\(run ?? "")" }
    for run in others.dropLast(limits.runs - 1) {
      FolderUse.ifUnused(run) {
        for page in Self.pages(in: run) { unlink(page) }
        rmdir(run)
      }
    }
    let written = others.filter { FolderUse.isInUse($0) }.compactMap { Self.pages(in: $0).last }
    let spared = Set(written + current)
    let pages = runs.flatMap { Self.pages(in: $0) }
    var total = pages.reduce(0) { $0 + HTMLLogFile.size($1) }
    for page in pages where total > limits.totalSize && !spared.contains(page) {
      total -= HTMLLogFile.size(page)
      unlink(page)
      rmdir((page as NSString).deletingLastPathComponent)
    }
  }

  private static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  private static func isEarlier(_ a: String, than b: String) -> Bool {
    (a.runSecond, a.runNumber) < (b.runSecond, b.runNumber)
  }

  /// Returns true for the user's own folder with a name such as `shop_log_2026-11-24T08-26-48Z_02`.
  private func isRun(_ folder: String) -> Bool {
    guard folder.hasPrefix("\(name)_log_"), HTMLLogFile.isOwnFolder("\(directory)/\(folder)") else {
      return false
    }
    let rest = folder.dropFirst(name.count + 5)
    let shape = rest.map { $0.isASCII && $0.isNumber ? "0" : $0 }
    let full = "0000-00-00T00-00-00Z"
    let number = shape.dropFirst(full.count)
    return String(shape.prefix(full.count)) == full
      && (number.isEmpty || (3...10).contains(number.count) && number.first == "_")
      && number.dropFirst().allSatisfy { $0 == "0" }
  }

  private static func pages(in folder: String) -> [String] {
    let numbers = names(in: folder).compactMap { name -> Int? in
      guard name.hasPrefix("page-"), name.hasSuffix(".html") else { return nil }
      return Int(name.dropFirst(5).dropLast(5))
    }
    return numbers.sorted().map { "\(folder)/\(file($0))" }
  }
}

extension String {
  fileprivate var runSecond: Substring { self[..<(lastIndex(of: "Z") ?? endIndex)] }

  /// The number of a run, from 1, among the runs of the same second.
  fileprivate var runNumber: Int { lastIndex(of: "Z").flatMap { Int(self[$0...].dropFirst(2)) } ?? 1 }
}

/// Functions for log files, which are created with mode 600 and grow by appending.
enum HTMLLogFile {
  static func make(_ path: String, with text: Data) throws(RegularFile.Problem) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw problem(errno) }
    defer { close(descriptor) }
    guard let code = SystemCall.write(text, to: descriptor) else { return }
    unlink(path)
    throw problem(code)
  }

  static func append(_ text: Data, to path: String) throws(RegularFile.Problem) {
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw problem(errno) }
    defer { close(descriptor) }
    var info = stat()
    let isKnown = fstat(descriptor, &info) == 0
    guard let code = SystemCall.write(text, to: descriptor) else { return }
    // An incomplete event would make the next event unreadable.
    if isKnown { ftruncate(descriptor, info.st_size) }
    throw problem(code)
  }

  static func size(_ path: String) -> Int {
    var info = stat()
    return lstat(path, &info) == 0 ? Int(info.st_size) : 0
  }

  /// Returns true for a folder of the effective user, but not for a symbolic link.
  static func isOwnFolder(_ path: String) -> Bool {
    var info = stat()
    return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR && info.st_uid == geteuid()
  }

  private static func problem(_ code: Int32) -> RegularFile.Problem {
    RegularFile.Problem("cannot be written: \(String(cString: strerror(code)))")
  }
}
