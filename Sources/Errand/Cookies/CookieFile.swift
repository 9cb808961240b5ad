import Foundation

/// A file of cookies in Netscape's format: a line each, of seven columns with tabs between.
///
/// Several processes may have it: what another has changed since is kept.
final class CookieFile: Sendable {
  /// What another process has changed.
  struct Changes {
    var added: [Cookie] = []
    var removed: [Cookie.Identity] = []

    var isEmpty: Bool { added.isEmpty && removed.isEmpty }
  }

  /// How many lines were read and written, and how often the file was replaced; for tests.
  struct Work: Equatable {
    var readLines = 0
    var writtenLines = 0
    var writings = 0
  }

  private struct Line {
    let cookie: Cookie
    let bytes: [UInt8]
  }

  private typealias Lines = [Cookie.Identity: Line]

  private struct Contents {
    /// As the file has them; empty where there is no file.
    var bytes = Data()
    var lines = Lines()
  }

  let path: String
  /// Where the file is behind the links of its path, also where a folder is reached through one: two paths of one file have the same.
  var place: String {
    let target = (try? PrivateFile.target(of: path)) ?? path
    let folder = URL(fileURLWithPath: target).deletingLastPathComponent().resolvingSymlinksInPath()
    return folder.appendingPathComponent((target as NSString).lastPathComponent).path
  }

  /// What was in the file when it was read or written last.
  private let known = Locked(Contents())
  private let doneWork = Locked(Work())

  init(_ url: URL) throws(FileError) {
    guard url.isFileURL, !url.path.isEmpty, !url.hasDirectoryPath else {
      let cure = url.scheme == nil ? "; make one by URL(fileURLWithPath:)" : ""
      throw FileError(path: url.absoluteString, reason: "is no URL of a file\(cure)")
    }
    path = url.path
  }

  var work: Work { doneWork.withLock { $0 } }

  /// Reads it for the first time; nothing where there is no file.
  func read(now: Date) throws(FileError) -> [Cookie] {
    let target = try target()
    PrivateFile.sweep(target)
    let bytes = try bytes(of: target)
    let cookies = try cookies(in: bytes, now: now)
    let lines = lines(of: cookies, Lines())
    known.withLock { $0 = Contents(bytes: bytes, lines: lines) }
    return cookies
  }

  /// Writes cookies, with what others have changed since; one call at a time.
  ///
  /// Lines are read only where the bytes of the file are not those that were written last, and made only of cookies that have changed.
  ///
  /// - Parameters:
  ///   - all: what the store has.
  ///   - isWhole: whether what others have changed goes too.
  ///   - keepsSessions: whether cookies without an end are written that were not there.
  ///   - patience: how long another process is waited for that has the lock; 2 s by default.
  /// - Returns: what others have changed, or why nothing was written.
  func update(
    _ all: [Cookie], now: Date, isWhole: Bool, keepsSessions: Bool,
    within patience: LockPatience = LockPatience()
  ) -> Result<Changes, FileError> {
    let known = known.withLock { $0 }
    // One without an end that is there already is somebody's.
    var kept = all.filter { cookie in
      cookie.fitsColumns && (keepsSessions || cookie.expires != nil || known.lines[cookie.identity] != nil)
    }
    var lines = lines(of: kept, known.lines)
    var changes = Changes()
    do throws(FileError) {
      // The lock, the bytes and the writing are of one place, so that who has the file by another path waits for the same lock.
      let target = try target()
      let lock = try lock(target, patience: patience)
      defer { lock.release() }
      if !isWhole {
        let bytes = try bytes(of: target)
        if bytes != known.bytes {
          changes = self.changes(in: try cookies(in: bytes, now: now), besides: lines, known.lines)
        }
      }
      if !changes.isEmpty {
        let replaced = Set(changes.added.map(\.identity) + changes.removed)
        kept.removeAll { replaced.contains($0.identity) }
        kept += changes.added
        lines = self.lines(of: kept, lines)
      }
      var written = Data(Self.head.utf8)
      for cookie in kept { written.append(contentsOf: lines[cookie.identity]?.bytes ?? []) }
      try write(written, to: target)
      self.known.withLock { $0 = Contents(bytes: written, lines: lines) }
      return .success(changes)
    } catch {
      return .failure(error)
    }
  }

  private func changes(in others: [Cookie], besides own: Lines, _ known: Lines) -> Changes {
    let lines = lines(of: others, known)
    func isOwn(_ identity: Cookie.Identity) -> Bool { own[identity]?.bytes != known[identity]?.bytes }
    return Changes(
      added: others.filter { cookie in
        let identity = cookie.identity
        return lines[identity]?.bytes != known[identity]?.bytes && !isOwn(identity)
      }, removed: known.keys.filter { lines[$0] == nil && !isOwn($0) })
  }

  /// As they stand in the file, which loses some of what they are; those that have a line already keep it.
  private func lines(of cookies: [Cookie], _ known: Lines) -> Lines {
    var (lines, made) = (Lines(minimumCapacity: cookies.count), 0)
    for cookie in cookies {
      let identity = cookie.identity
      if let line = known[identity], line.cookie == cookie {
        lines[identity] = line
      } else {
        lines[identity] = Line(cookie: cookie, bytes: Self.line(cookie))
        made += 1
      }
    }
    doneWork.withLock { $0.writtenLines += made }
    return lines
  }

  /// Where the file is now; throws for a link of another user.
  private func target() throws(FileError) -> String {
    do throws(RegularFile.Problem) { return try PrivateFile.target(of: path) } catch { throw problem(error) }
  }

  private func lock(_ target: String, patience: LockPatience) throws(FileError) -> FolderLock {
    do throws(RegularFile.Problem) {
      return try FolderLock(of: target, within: patience)
    } catch { throw problem(error) }
  }

  private func bytes(of target: String) throws(FileError) -> Data {
    do throws(RegularFile.Problem) {
      return try PrivateFile.read(target, limit: Self.sizeLimit) ?? Data()
    } catch { throw problem(error) }
  }

  private func problem(_ problem: RegularFile.Problem) -> FileError {
    FileError(path: path, problem: problem)
  }

  /// The cookies of a file that have not ended; throws for a file that is none of cookies, as it would be written over.
  private func cookies(in bytes: Data, now: Date) throws(FileError) -> [Cookie] {
    // Each line is text of its own, as curl writes whatever bytes a cookie has.
    let lines = [UInt8](bytes).split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
      HTTPHeaders.Field(name: "", received: line.last == 0x0D ? line.dropLast() : line)
    }
    var (cookies, stray) = ([Cookie](), Int?.none)
    for (index, field) in lines.enumerated() where stray == nil {
      let line = field.value[...]
      if let cookie = Self.cookie(line, isOfBytes: field.foreignBytes != nil) {
        cookies.append(cookie)
      } else if line.utf8.starts(with: Self.httpOnly.utf8) || !Self.isComment(line) {
        stray = index
      }
    }
    doneWork.withLock { $0.readLines += lines.count }
    // With comments alone the first has to name cookies.
    let isOne = !cookies.isEmpty || lines.allSatisfy(\.value.isEmpty)
    if stray == nil, !isOne, !lines[0].value.lowercased().contains("cookie") { stray = 0 }
    if let stray {
      throw FileError(path: path, reason: "is no file of cookies: line \(stray + 1) is none")
    }
    return cookies.filter { !$0.hasExpired(by: now) }
  }

  private static func isComment(_ line: Substring) -> Bool {
    line.utf8.first == UInt8(ascii: "#") || line.utf8.allSatisfy { $0 == UInt8(ascii: " ") }
  }

  /// More than twice what a full store takes.
  private static let sizeLimit: Int64 = 32 << 20

  private func write(_ bytes: Data, to target: String) throws(FileError) {
    do throws(RegularFile.Problem) { try PrivateFile.write(bytes, to: target) } catch { throw problem(error) }
    doneWork.withLock { $0.writings += 1 }
  }

  // MARK: The format

  private static let head = "# Netscape HTTP Cookie File\n"
  /// curl's, and everybody's since.
  private static let httpOnly = "#HttpOnly_"

  static func text(of cookies: [Cookie]) -> String {
    let lines = cookies.filter { $0.fitsColumns && !$0.isOfBytes }.map(line)
    return head + String(decoding: lines.joined(), as: UTF8.self)
  }

  private static func line(_ cookie: Cookie) -> [UInt8] {
    let columns = [
      (cookie.isHTTPOnly ? httpOnly : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
      cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE",
      // Rounded up, as zero is no end at all.
      "\(cookie.expires.map { Int64(min(max($0.timeIntervalSince1970.rounded(.up), 1), 1e15)) } ?? 0)",
      cookie.name, cookie.value,
    ]
    return cookie.bytes(of: columns.joined(separator: "\t") + "\n")
  }

  static func cookies(in text: String, now: Date) -> [Cookie] {
    text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).compactMap { line in
      cookie(Substring(line)).flatMap { $0.hasExpired(by: now) ? nil : $0 }
    }
  }

  /// The cookie of a line of seven columns, ended or not; flags are read in any case, as curl does.
  private static func cookie(_ line: Substring, isOfBytes: Bool = false) -> Cookie? {
    let isHTTPOnly = line.utf8.starts(with: httpOnly.utf8)
    guard isHTTPOnly || line.utf8.first != UInt8(ascii: "#") else { return nil }
    let text = isHTTPOnly ? line.dropFirst(httpOnly.count) : line
    let columns = text.utf8.split(separator: 0x09, omittingEmptySubsequences: false).map(Substring.init)
    guard columns.count == 7, let end = Int64(columns[4]) else { return nil }
    let expires = end <= 0 ? nil : Date(timeIntervalSince1970: TimeInterval(end))
    let flags = ["TRUE": true, "FALSE": false]
    guard let isBelow = flags[columns[1].uppercased()], let isSecure = flags[columns[3].uppercased()]
    else { return nil }
    return Cookie(
      name: String(columns[5]), value: String(columns[6]),
      domain: String(columns[0].drop { $0 == "." }), isHostOnly: !isBelow,
      path: String(columns[2]), expires: expires, isSecure: isSecure, isHTTPOnly: isHTTPOnly,
      sameSite: nil, isOfBytes: isOfBytes)
  }
}
