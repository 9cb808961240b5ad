import Foundation

/// A file of cookies in Netscape's format, with a line for each cookie.
///
/// Several processes may share the file. A write merges changes of other processes, unless the store was
/// cleared since the last write.
final class CookieFile: Sendable {
  struct Changes {
    var added: [Cookie] = []
    var removed: [Cookie.Identity] = []

    var isEmpty: Bool { added.isEmpty && removed.isEmpty }
  }

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
    var bytes = Data()
    var lines = Lines()
  }

  let path: String
  /// The path with symbolic links resolved where possible.
  var place: String {
    let target = (try? PrivateFile.target(of: path)) ?? path
    let folder = URL(fileURLWithPath: target).deletingLastPathComponent().resolvingSymlinksInPath()
    return folder.appendingPathComponent((target as NSString).lastPathComponent).path
  }

  private let known = Locked(Contents())
  private let doneWork = Locked(Work())

  init(_ url: URL) throws(FileError) {
    guard url.isFileURL, !url.path.isEmpty, !url.hasDirectoryPath else {
      let cure = url.scheme == nil ? "; create a file URL with URL(fileURLWithPath:)" : ""
      throw FileError(path: Redaction.standard.url(url), reason: "is not a file URL\(cure)")
    }
    path = url.path
  }

  var work: Work { doneWork.withLock { $0 } }

  func read(now: Date) throws(FileError) -> [Cookie] {
    let target = try target()
    PrivateFile.sweep(target)
    let bytes = try bytes(of: target)
    let cookies = try cookies(in: bytes, now: now)
    let lines = lines(of: cookies, Lines())
    known.withLock { $0 = Contents(bytes: bytes, lines: lines) }
    return cookies
  }

  /// Writes the cookies; merges and returns changes that other processes have made to the file.
  ///
  /// With `isWhole`, the write discards these changes. Calls must not overlap.
  func update(
    _ all: [Cookie], now: Date, isWhole: Bool, keepsSessions: Bool,
    within deadline: LockDeadline = LockDeadline()
  ) -> Result<Changes, FileError> {
    let known = known.withLock { $0 }
    // Without `keepsSessions`, a session cookie is written only if the file had a line for the cookie.
    var kept = all.filter { cookie in
      cookie.fitsColumns && (keepsSessions || cookie.expires != nil || known.lines[cookie.identity] != nil)
    }
    var lines = lines(of: kept, known.lines)
    var changes = Changes()
    do throws(FileError) {
      // Links are resolved, so that processes with different links use the same lock.
      let target = try target()
      let lock = try lock(target, deadline: deadline)
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

  /// Returns the lines for cookies; keeps the known lines of unchanged cookies.
  ///
  /// Changes are found by comparing lines, because the file lacks attributes such as `SameSite`.
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

  /// Returns the path after following symbolic links at the end of the path.
  ///
  /// The current user or root must own the links.
  private func target() throws(FileError) -> String {
    do throws(RegularFile.Problem) { return try PrivateFile.target(of: path) } catch { throw problem(error) }
  }

  private func lock(_ target: String, deadline: LockDeadline) throws(FileError) -> FolderLock {
    do throws(RegularFile.Problem) {
      return try FolderLock(of: target, within: deadline)
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

  /// Returns the unexpired cookies in a file.
  ///
  /// Throws if the file is not a cookie file, because a write would destroy the file.
  private func cookies(in bytes: Data, now: Date) throws(FileError) -> [Cookie] {
    // Each line is decoded separately, because curl writes the bytes of a cookie in any encoding.
    let lines = [UInt8](bytes).split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
      HTTPHeaders.Field(name: "", received: line.last == 0x0D ? line.dropLast() : line)
    }
    var (cookies, stray) = ([Cookie](), Int?.none)
    for (index, field) in lines.enumerated() where stray == nil {
      let line = field.value[...]
      if let cookie = Self.cookie(line, isLatin1: field.foreignBytes != nil) {
        cookies.append(cookie)
      } else if line.utf8.starts(with: Self.httpOnly.utf8) || !Self.isComment(line) {
        stray = index
      }
    }
    doneWork.withLock { $0.readLines += lines.count }
    // A file with comments alone may be a configuration file, so the first line must mention cookies.
    let isOne = !cookies.isEmpty || lines.allSatisfy(\.value.isEmpty)
    if stray == nil, !isOne, !lines[0].value.lowercased().contains("cookie") { stray = 0 }
    if let stray {
      throw FileError(path: path, reason: "is not a cookie file: line \(stray + 1) is not a cookie")
    }
    return cookies.filter { !$0.hasExpired(by: now) }
  }

  private static func isComment(_ line: Substring) -> Bool {
    line.utf8.first == UInt8(ascii: "#") || line.utf8.allSatisfy(ASCII.isWhitespace)
  }

  private static let sizeLimit: Int64 = 32 << 20

  private func write(_ bytes: Data, to target: String) throws(FileError) {
    do throws(RegularFile.Problem) { try PrivateFile.write(bytes, to: target) } catch { throw problem(error) }
    doneWork.withLock { $0.writings += 1 }
  }

  // MARK: The format

  private static let head = "# Netscape HTTP Cookie File\n"
  private static let httpOnly = "#HttpOnly_"

  static func text(of cookies: [Cookie]) -> String {
    let lines = cookies.filter { $0.fitsColumns && !$0.isLatin1 }.map(line)
    return head + String(decoding: lines.joined(), as: UTF8.self)
  }

  private static func line(_ cookie: Cookie) -> [UInt8] {
    let columns = [
      (cookie.isHTTPOnly ? httpOnly : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
      cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE",
      // The expiry is at least 1, because 0 means a session cookie.
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

  private static func cookie(_ line: Substring, isLatin1: Bool = false) -> Cookie? {
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
      sameSite: nil, isLatin1: isLatin1)
  }
}
