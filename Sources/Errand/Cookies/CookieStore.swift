public import Foundation

/// A store of cookies, by the rules of draft-ietf-httpbis-rfc6265bis.
///
/// ```swift
/// var configuration = AgentConfiguration()
/// configuration.cookies = CookieStore()
/// let agent = RequestAgent(baseURL: "https://example.com", configuration: configuration)
/// ```
///
/// Without a store, a dispatch ignores `Set-Cookie` and adds no cookies. Agents may share a store.
///
/// A server cannot set a cookie for all hosts below a known public suffix, such as `co.uk`. On Linux, the
/// list of suffixes comes from libpsl. Without libpsl, only names without a dot, such as `com`, count as
/// public suffixes. The expiry of a server's cookie is at most 400 days ahead.
public final class CookieStore: Sendable {
  private let jar: Locked<CookieJar>
  private let suffixes: PublicSuffixes
  private let writer: CookieFileWriter?
  /// The clock for calls by the app and for the file.
  ///
  /// Requests use the agent's clock.
  private let clock: @Sendable () -> Date

  /// Creates an empty store in memory.
  public convenience init() { self.init([]) }

  /// Creates a store with a file in Netscape's format, as used by `curl -b` and `curl -c`.
  ///
  /// Reads the file on the calling thread. The store usually writes about 0.2 seconds after a change.
  ///
  /// - Parameters:
  ///   - file: A file URL; the directory must exist.
  ///   - keepsSessionCookies: True to write session cookies too; `false` by default.
  /// - Throws: ``FileError`` for an invalid URL, or an unreadable or invalid file.
  public convenience init(file: URL, keepsSessionCookies: Bool = false) throws {
    try self.init(CookieFile(file), keepsSessions: keepsSessionCookies)
  }

  convenience init(
    _ file: CookieFile, keepsSessions: Bool = false, delay: Duration = CookieFileWriter.delay
  ) throws {
    UnwrittenCookies.write(for: file)
    self.init([], file: file, keepsSessions: keepsSessions, delay: delay)
    let cookies = try file.read(now: now)
    jar.withLock { $0.load(cookies) }
  }

  init(
    _ cookies: [Cookie] = [], file: CookieFile? = nil, keepsSessions: Bool = false,
    delay: Duration = CookieFileWriter.delay, suffixes: PublicSuffixes = .system,
    clock: @escaping @Sendable () -> Date = { SystemTime.date }
  ) {
    let jar = Locked(CookieJar(cookies, keepsSessions: keepsSessions))
    writer = file.map {
      CookieFileWriter($0, of: jar, keepsSessions: keepsSessions, delay: delay, clock: clock)
    }
    (self.jar, self.suffixes, self.clock) = (jar, suffixes, clock)
  }

  private var now: Date { clock() }

  /// All cookies that have not expired, oldest first.
  public var all: [Cookie] { cookies(now: now) }

  func cookies(now: Date) -> [Cookie] {
    let jar = jar.withLock { $0 }
    return jar.cookies(now: now)
  }

  /// Returns the cookies for a URL in the order of sending.
  public func cookies(for url: URL) -> [Cookie] { cookies(for: url, CookieContext(), now: now) }

  func cookies(for url: URL, _ context: CookieContext, now: Date) -> [Cookie] {
    guard let origin = CookieOrigin(url) else { return [] }
    let found = jar.withLock { $0.use(for: origin, now: now) }
    let allowed = found.filter { context.allows($0.cookie.sameSite, to: origin, suffixes: suffixes) }
    return allowed.sorted { a, b in
      let (long, short) = (a.cookie.path.utf8.count, b.cookie.path.utf8.count)
      return long != short ? long > short : a.number < b.number
    }.map(\.cookie)
  }

  /// Adds the cookies for a URL to the headers of a request.
  ///
  /// The request's own cookies take precedence over stored cookies with the same name.
  func add(to headers: inout HTTPHeaders, for url: URL, _ context: CookieContext, now: Date) {
    let cookies = cookies(for: url, context, now: now)
    guard !cookies.isEmpty else { return }
    let own = headers.values(for: "Cookie").flatMap { $0.components(separatedBy: ";") }
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    let names = Set(own.map { $0.prefix { $0 != "=" } })
    let added = cookies.filter { !names.contains($0.sentName[...]) }
    headers["Cookie"] = (own + added.map(\.pair)).joined(separator: "; ")
    guard added.contains(where: \.isLatin1) else { return }
    let bytes = own.map { Array($0.utf8) } + added.map { $0.bytes(of: $0.pair) }
    headers.setReceived("Cookie", bytes: Array(bytes.joined(separator: Array("; ".utf8))))
  }

  /// Stores a cookie, and replaces a cookie with the same name, domain, ``Cookie/isHostOnly`` and path.
  ///
  /// An expired `cookie` only removes the cookie that would be replaced.
  public func set(_ cookie: Cookie) {
    let now = now
    change { jar in
      jar.set(cookie, now: now)
      jar.bound(cookie.domain, now: now)
    }
  }

  /// Removes the unexpired cookies for which the closure returns true.
  public func remove(where isUnwanted: (Cookie) -> Bool) {
    let unwanted = all.filter(isUnwanted).map(\.identity)
    change { jar in
      for identity in unwanted { jar.remove(identity) }
    }
  }

  /// Removes all cookies; the next write also removes the cookies of other processes from the file.
  public func removeAll() { change { $0.removeAll() } }

  func take(_ headers: HTTPHeaders, from url: URL, now: Date) {
    guard headers.contains("Set-Cookie"), let origin = CookieOrigin(url) else { return }
    let fields = headers.fields.filter { HTTPHeaders.same($0.name, "Set-Cookie") }
      .compactMap { SetCookie($0.value, isLatin1: $0.foreignBytes != nil, now: now) }
    let cookies = fields.compactMap { cookie(of: $0, from: origin) }
    change { $0.receive(cookies, isSecure: origin.isSecure, now: now) }
  }

  private func change(_ body: (inout CookieJar) -> Void) {
    jar.withLock { body(&$0) }
    writer?.noteChange()
  }

  /// Returns the cookie of a field; `nil` for a field to ignore (draft-ietf-httpbis-rfc6265bis section 5.7).
  private func cookie(of field: SetCookie, from origin: CookieOrigin) -> Cookie? {
    var domain = field.domain
    if let said = domain {
      // The list of public suffixes does not recognize a name with a trailing dot.
      guard said.utf8.allSatisfy({ $0 < 0x80 }), said.utf8.last != UInt8(ascii: ".") else { return nil }
      if said == origin.host {
        // With an address or a public suffix as the domain, the cookie becomes host-only.
        if Origin.isAddress(said) || suffixes.contain(said) { domain = nil }
      } else {
        guard CookieOrigin.isHost(origin.host, in: said), !suffixes.contain(said) else { return nil }
      }
    }
    guard origin.isSecure || !field.isSecure else { return nil }
    let cookie = Cookie(
      unjudged: String(field.name), value: String(field.value), domain: domain ?? origin.host,
      isHostOnly: domain == nil, path: field.path ?? origin.defaultPath, expires: field.expires,
      isSecure: field.isSecure, isHTTPOnly: field.isHTTPOnly, sameSite: field.sameSite,
      isLatin1: field.isLatin1)
    return cookie.isAllowed(sayingPath: field.path) ? cookie : nil
  }

  // MARK: Files

  /// The error of the last write to the file; `nil` without an error.
  public var fileProblem: FileError? { jar.withLock { $0.problem } }

  /// Writes the changes so far to the file, for example after a sign-in.
  ///
  /// Does nothing for a store without a file.
  ///
  /// - Throws: ``fileProblem``, if writing fails.
  public func save() async throws {
    await writer?.flush()
    if let fileProblem { throw fileProblem }
  }

  /// The unexpired cookies in Netscape's format, for `curl -b`.
  ///
  /// Cookies with a tab or with bytes that are not UTF-8 are left out.
  public var netscapeText: String { CookieFile.text(of: all) }

  /// Adds the unexpired cookies of a text in Netscape's format; invalid lines are ignored.
  public func read(netscapeText text: String) {
    let now = now
    let cookies = CookieFile.cookies(in: text, now: now)
    change { jar in
      for cookie in cookies {
        jar.insert(cookie)
        jar.bound(cookie.domain, now: now)
      }
    }
  }
}

extension CookieStore: PrintedByDescription {
  /// A line for each unexpired cookie, without values, or `no cookies`.
  public var description: String {
    let cookies = all
    return cookies.isEmpty ? "no cookies" : cookies.map(\.description).joined(separator: "\n")
  }
}
