public import Foundation

/// Cookies: kept by what servers set, given to whom they are for (draft-ietf-httpbis-rfc6265bis).
///
/// ```swift
/// var configuration = AgentConfiguration()
/// configuration.cookies = CookieStore()
/// let agent = RequestAgent(baseURL: "https://example.com", configuration: configuration)
/// ```
///
/// An agent has none unless it is given one: most services know their clients by a header, and a cookie that nobody asked for is
/// something to leak. Agents share cookies only where they are given the same store. With a file they outlive the process.
///
/// `Set-Cookie` counts in every answer that comes from the network or a mock: of redirects that are followed, of those that are refused, of
/// errors. Cookies go to the host that set them, or to its domain where it said so, and never to a public suffix such as `co.uk`
/// (on Linux where libpsl is installed; elsewhere a domain of one label is none). `Secure` ones need https, or this machine. One that
/// does not keep the rules is ignored, as are those beyond the limits: 4,096 bytes each, 50 a domain, 3,000 in all, 400 days.
///
/// Any thread may use it, and no thread waits for a file but the one that makes a store of it.
public final class CookieStore: Sendable {
  private let jar: Locked<CookieJar>
  private let suffixes: PublicSuffixes
  /// `nil` where the cookies are in memory alone.
  private let keeper: CookieKeeper?
  /// For calls of users; the agent says what its own clock says.
  private let clock: @Sendable () -> Date

  /// Makes an empty one, whose cookies are in memory alone.
  public convenience init() { self.init([]) }

  /// Makes one whose cookies are in a file of Netscape's format, as `curl -b` and `curl -c` have it.
  ///
  /// The file is read at once, on the thread of the caller. A missing file is made with the first cookie.
  ///
  /// Changes are written behind the requests, on a queue of the store's own: at most 0.2 seconds after a change, once for all changes of that time.
  /// The file is replaced as a whole, and only its owner may read it then. ``save()`` waits until it is written. What a store that is released
  /// has not written is written all the same, and so is what is left when the process calls `exit` or returns from `main`. A process that is
  /// killed or crashes loses the changes of its last 0.2 seconds. What another process has changed in the file meanwhile is kept, and is in the
  /// store from the next writing on.
  ///
  /// - Parameters:
  ///   - file: a URL of a file; its directory has to be there.
  ///   - keepsSessionCookies: whether cookies without an end are written too, as curl does it; `false`, the default, ends them
  ///     with the process, as in a browser. Those that are in the file are read in any case.
  /// - Throws: ``FileError`` where the file is there and cannot be read, or is no file of cookies.
  public convenience init(file: URL, keepsSessionCookies: Bool = false) throws {
    try self.init(CookieFile(file), keepsSessions: keepsSessionCookies)
  }

  /// - Parameter delay: how long after a change writing begins.
  convenience init(
    _ file: CookieFile, keepsSessions: Bool = false, delay: Duration = CookieKeeper.delay
  ) throws {
    UnwrittenCookies.write(for: file)
    self.init([], file: file, keepsSessions: keepsSessions, delay: delay)
    let cookies = try file.read(now: now)
    jar.withLock { $0.load(cookies) }
  }

  init(
    _ cookies: [Cookie] = [], file: CookieFile? = nil, keepsSessions: Bool = false,
    delay: Duration = CookieKeeper.delay, suffixes: PublicSuffixes = .system,
    clock: @escaping @Sendable () -> Date = { SystemTime.date }
  ) {
    let jar = Locked(CookieJar(cookies, keepsSessions: keepsSessions))
    keeper = file.map {
      CookieKeeper($0, of: jar, keepsSessions: keepsSessions, delay: delay, clock: clock)
    }
    (self.jar, self.suffixes, self.clock) = (jar, suffixes, clock)
  }

  private var now: Date { clock() }

  /// All that have not ended, in the order in which they came.
  public var all: [Cookie] { cookies(now: now) }

  func cookies(now: Date) -> [Cookie] {
    // Put in order outside the lock.
    let jar = jar.withLock { $0 }
    return jar.cookies(now: now)
  }

  /// Those that a request to a URL has, in the order in which they are sent: longer paths first, then older ones.
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

  /// Puts the cookies for a URL into the `Cookie` field, behind those that are there; these are not sent twice.
  func add(to headers: inout HTTPHeaders, for url: URL, _ context: CookieContext, now: Date) {
    let cookies = cookies(for: url, context, now: now)
    guard !cookies.isEmpty else { return }
    let own = headers.values(for: "Cookie").flatMap { $0.components(separatedBy: ";") }
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    let names = Set(own.map { $0.prefix { $0 != "=" } })
    let added = cookies.filter { !names.contains($0.name[...]) }
    headers["Cookie"] = (own + added.map(\.pair)).joined(separator: "; ")
    guard added.contains(where: \.isOfBytes) else { return }
    let bytes = own.map { Array($0.utf8) } + added.map { $0.bytes(of: $0.pair) }
    headers.setReceived("Cookie", bytes: Array(bytes.joined(separator: Array("; ".utf8))))
  }

  /// Keeps a cookie, in the place of one with the same name, domain and path; one that has ended takes that one away.
  public func set(_ cookie: Cookie) {
    let now = now
    change { jar in
      jar.set(cookie, now: now)
      jar.bound(cookie.domain, now: now)
    }
  }

  /// Takes cookies away.
  public func remove(where isUnwanted: (Cookie) -> Bool) {
    // Asked outside the lock.
    let unwanted = all.filter(isUnwanted).map(\.identity)
    change { jar in
      for identity in unwanted { jar.remove(identity) }
    }
  }

  /// Takes all away, from the file too, also what another process has put there.
  public func removeAll() { change { $0.removeAll() } }

  /// Takes what a response sets.
  func take(_ headers: HTTPHeaders, from url: URL, now: Date) {
    guard headers.contains("Set-Cookie"), let origin = CookieOrigin(url) else { return }
    let fields = headers.fields.filter { HTTPHeaders.same($0.name, "Set-Cookie") }
      .compactMap { SetCookie($0.value, isOfBytes: $0.foreignBytes != nil, now: now) }
    let cookies = fields.compactMap { cookie(of: $0, from: origin) }
    change { $0.take(cookies, isSecure: origin.isSecure, now: now) }
  }

  /// Changes the cookies, and has what a file lacks written.
  private func change(_ body: (inout CookieJar) -> Void) {
    jar.withLock { body(&$0) }
    keeper?.noteChange()
  }

  /// What becomes of a field (section 5.7); `nil` where it is ignored.
  private func cookie(of field: SetCookie, from origin: CookieOrigin) -> Cookie? {
    var domain = field.domain
    if let said = domain {
      // With a dot at the end a suffix would be none that the list has.
      guard said.utf8.allSatisfy({ $0 < 0x80 }), said.utf8.last != UInt8(ascii: ".") else { return nil }
      if said == origin.host {
        // An address, a host of one label or a public suffix speaks for itself alone.
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
      isOfBytes: field.isOfBytes)
    return cookie.isAllowed(sayingPath: field.path) ? cookie : nil
  }

  // MARK: Files

  /// Why the last writing failed; `nil` where it did not, where nothing was written yet, and where there is no file.
  ///
  /// The cookies are in memory all the same, and the next change or ``save()`` tries again.
  public var fileProblem: FileError? { jar.withLock { $0.problem } }

  /// Waits until all changes made until now are in the file; returns at once where there is no file, or no change.
  ///
  /// Call it where a cookie must outlive a crash, as after signing in. Another process that has the file's lock is waited for, two seconds at most; no
  /// thread waits meanwhile.
  ///
  /// - Throws: ``fileProblem``, where writing fails.
  public func save() async throws {
    await keeper?.flush()
    if let fileProblem { throw fileProblem }
  }

  /// All that have not ended in Netscape's format, also those without an end; for `curl -b`.
  ///
  /// Those with a tab, and with bytes that are no UTF-8, are left out: the text cannot hold them.
  public var netscapeText: String { CookieFile.text(of: all) }

  /// Takes over what a text of Netscape's format has, in the place of what is there; lines that are no cookies are ignored.
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
  /// One line a cookie, without values.
  public var description: String {
    let cookies = all
    return cookies.isEmpty ? "no cookies" : cookies.map(\.description).joined(separator: "\n")
  }
}
