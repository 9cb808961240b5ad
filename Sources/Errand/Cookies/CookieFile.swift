import Foundation

/// A file of cookies in Netscape's format: a line each, of seven columns with tabs between.
///
/// Several processes may have it: what another has changed since is kept.
final class CookieFile: Sendable {
  /// What another process has changed.
  struct Changes {
    var added: [Cookie] = []
    var removed: [Cookie.Identity] = []
  }

  private typealias Lines = [Cookie.Identity: String]

  private let path: String
  /// Whose turn it is, and what was in the file when it was read or written last.
  private let turn = Locked(Lines())

  init(_ url: URL) throws(CookieStore.FileError) {
    guard url.isFileURL, !url.path.isEmpty, !url.hasDirectoryPath else {
      throw CookieStore.FileError(path: url.absoluteString, reason: "is no URL of a file")
    }
    path = url.path
  }

  /// Reads it for the first time; nothing where there is no file.
  func read(now: Date) throws(CookieStore.FileError) -> [Cookie] {
    let cookies = try contents(now: now)
    turn.withLock { $0 = Self.lines(of: cookies) }
    return cookies
  }

  /// Writes what `current` gives, with what others have changed since.
  ///
  /// One at a time; what is called is the store's own, and no code of a user's.
  ///
  /// - Parameters:
  ///   - isWhole: whether what others have changed goes too.
  ///   - keepsSessions: whether cookies without an end are written that were not there.
  ///   - current: `nil` where nothing has changed.
  ///   - done: gets what others have changed, or why nothing was written.
  func update(
    now: Date, isWhole: Bool, keepsSessions: Bool, _ current: () -> [Cookie]?,
    done: (Result<Changes, CookieStore.FileError>) -> Void
  ) {
    turn.withLock { known in
      guard let all = current() else { return }
      // One without an end that is there already is somebody's.
      let own = all.filter { keepsSessions || $0.expires != nil || known[$0.identity] != nil }
      let lock: FolderLock
      do throws(RegularFile.Problem) { lock = try FolderLock(of: path) } catch {
        return done(.failure(CookieStore.FileError(path: path, reason: error.clause)))
      }
      defer { lock.release() }
      var others: [Cookie] = []
      do throws(CookieStore.FileError) {
        if !isWhole { others = try contents(now: now) }
      } catch { return done(.failure(error)) }
      var kept = own
      let (ownLines, otherLines) = (Self.lines(of: own), Self.lines(of: others))
      var changes = Changes()
      changes.added = others.filter { cookie in
        let (id, line) = (cookie.identity, otherLines[cookie.identity])
        return line != known[id] && ownLines[id] == known[id]
      }
      changes.removed =
        isWhole ? [] : known.keys.filter { otherLines[$0] == nil && ownLines[$0] == known[$0] }
      let replaced = Set(changes.added.map(\.identity) + changes.removed)
      kept.removeAll { replaced.contains($0.identity) }
      kept += changes.added
      if let problem = write(kept) { return done(.failure(problem)) }
      known = Self.lines(of: kept)
      done(.success(changes))
    }
  }

  /// As they stand in the file, which loses some of what they are.
  private static func lines(of cookies: [Cookie]) -> Lines {
    Lines(cookies.map { ($0.identity, line($0)) }) { _, last in last }
  }

  private func contents(now: Date) throws(CookieStore.FileError) -> [Cookie] {
    let data: Data?
    do throws(RegularFile.Problem) {
      data = try PrivateFile.read(path, limit: Self.sizeLimit)
    } catch {
      throw CookieStore.FileError(path: path, reason: error.clause)
    }
    guard let data else { return [] }
    let text = String(decoding: data, as: UTF8.self)
    // It would be written over.
    if let number = Self.strayLine(in: text) {
      throw CookieStore.FileError(path: path, reason: "is no file of cookies: line \(number) is none")
    }
    return Self.cookies(in: text, now: now)
  }

  /// The number of the first line that is neither a comment nor a cookie's; with comments alone the first has to name cookies.
  private static func strayLine(in text: String) -> Int? {
    let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
      Substring(line.last == 0x0D ? line.dropLast() : line)
    }
    let stray = lines.firstIndex { line in
      let isCookie = line.utf8.starts(with: httpOnly.utf8)
      guard isCookie || line.contains(where: { $0 != " " }) && line.first != "#" else { return false }
      return cookie(line) == nil
    }
    if let stray { return stray + 1 }
    let hasCookie = lines.contains {
      $0.utf8.starts(with: httpOnly.utf8) || !$0.isEmpty && $0.first != "#" && cookie($0) != nil
    }
    let isEmpty = lines.allSatisfy(\.isEmpty)
    return hasCookie || isEmpty || lines[0].lowercased().contains("cookie") ? nil : 1
  }

  /// More than twice what a full store takes.
  private static let sizeLimit: Int64 = 32 << 20

  /// Puts them in the place of the file; gives what is wrong.
  private func write(_ cookies: [Cookie]) -> CookieStore.FileError? {
    do throws(RegularFile.Problem) {
      try PrivateFile.write(Data(Self.text(of: cookies).utf8), to: path)
      return nil
    } catch {
      return CookieStore.FileError(path: path, reason: error.clause)
    }
  }

  // MARK: The format

  private static let head = "# Netscape HTTP Cookie File\n"
  /// curl's, and everybody's since.
  private static let httpOnly = "#HttpOnly_"

  static func text(of cookies: [Cookie]) -> String {
    head + cookies.map(line).joined()
  }

  private static func line(_ cookie: Cookie) -> String {
    let columns = [
      (cookie.isHTTPOnly ? httpOnly : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
      cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE",
      // Rounded up, as zero is no end at all.
      "\(cookie.expires.map { Int64(min(max($0.timeIntervalSince1970.rounded(.up), 1), 1e15)) } ?? 0)",
      cookie.name, cookie.value,
    ]
    return columns.joined(separator: "\t") + "\n"
  }

  static func cookies(in text: String, now: Date) -> [Cookie] {
    text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).compactMap { line in
      cookie(Substring(line)).flatMap { $0.hasExpired(by: now) ? nil : $0 }
    }
  }

  /// The cookie of a line of seven columns, ended or not; flags are read in any case, as curl does.
  private static func cookie(_ line: Substring) -> Cookie? {
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
      path: String(columns[2]), expires: expires, isSecure: isSecure, isHTTPOnly: isHTTPOnly)
  }
}
