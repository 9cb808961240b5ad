import Foundation

/// A file of cookies in Netscape's format: a line each, of seven columns with tabs between.
final class CookieFile: Sendable {
  private let path: String
  private let turn = Locked(())

  init(_ url: URL) throws(CookieStore.FileError) {
    guard url.isFileURL, !url.path.isEmpty, !url.hasDirectoryPath else {
      throw CookieStore.FileError(path: url.absoluteString, reason: "is no URL of a file")
    }
    path = url.path
  }

  /// Lets one write at a time; what is written is the store's own, and no code of a user's.
  func inTurn(_ body: () -> Void) { turn.withLock { _ in body() } }

  /// Nothing where there is no file.
  func read(now: Date) throws(CookieStore.FileError) -> [Cookie] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    let file: RegularFile
    var data = Data()
    do throws(RegularFile.Problem) {
      file = try RegularFile(path: path)
      let length = try file.state.length
      guard length <= Self.sizeLimit else {
        throw RegularFile.Problem("has more than \(Self.sizeLimit) bytes, which no file of cookies has")
      }
      while data.count < length {
        let piece = try file.read(at: Int64(data.count), count: Int(length) - data.count)
        if piece.isEmpty { break }
        data += piece
      }
    } catch {
      throw CookieStore.FileError(path: path, reason: error.clause)
    }
    return Self.cookies(in: String(decoding: data, as: UTF8.self), now: now)
  }

  /// More than twice what a full store takes.
  private static let sizeLimit: Int64 = 32 << 20

  /// Puts them in the place of the file; gives what is wrong.
  func write(_ cookies: [Cookie]) -> CookieStore.FileError? {
    // Beside it, so that it can take its place in one step.
    let beside = "\(path).\(SystemRandom.digits().prefix(16))"
    let descriptor = Foundation.open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return problem() }
    var rest = Data(Self.text(of: cookies).utf8)
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let problem = problem()
        Foundation.close(descriptor)
        unlink(beside)
        return problem
      }
      rest = rest.dropFirst(count)
    }
    Foundation.close(descriptor)
    guard rename(beside, path) == 0 else {
      let problem = problem()
      unlink(beside)
      return problem
    }
    return nil
  }

  private func problem() -> CookieStore.FileError {
    CookieStore.FileError(path: path, reason: "cannot be written: \(String(cString: strerror(errno)))")
  }

  // MARK: The format

  private static let head = "# Netscape HTTP Cookie File\n"
  /// curl's, and everybody's since.
  private static let httpOnly = "#HttpOnly_"

  static func text(of cookies: [Cookie]) -> String {
    head
      + cookies.map { cookie in
        let columns = [
          (cookie.isHTTPOnly ? httpOnly : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
          cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE",
          // Rounded up, as zero is no end at all.
          "\(cookie.expires.map { Int64(min(max($0.timeIntervalSince1970.rounded(.up), 1), 1e15)) } ?? 0)",
          cookie.name, cookie.value,
        ]
        return columns.joined(separator: "\t") + "\n"
      }.joined()
  }

  static func cookies(in text: String, now: Date) -> [Cookie] {
    text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).compactMap { line in
      cookie(Substring(line), now: now)
    }
  }

  private static func cookie(_ line: Substring, now: Date) -> Cookie? {
    let isHTTPOnly = line.utf8.starts(with: httpOnly.utf8)
    guard isHTTPOnly || line.utf8.first != UInt8(ascii: "#") else { return nil }
    let text = isHTTPOnly ? line.dropFirst(httpOnly.count) : line
    let columns = text.utf8.split(separator: 0x09, omittingEmptySubsequences: false).map(Substring.init)
    guard columns.count == 7, let end = Int64(columns[4]) else { return nil }
    let expires = end <= 0 ? nil : Date(timeIntervalSince1970: TimeInterval(end))
    if let expires, expires <= now { return nil }
    return Cookie(
      name: String(columns[5]), value: String(columns[6]),
      domain: String(columns[0].drop { $0 == "." }), isHostOnly: columns[1] != "TRUE",
      path: String(columns[2]), expires: expires, isSecure: columns[3] == "TRUE", isHTTPOnly: isHTTPOnly)
  }
}
