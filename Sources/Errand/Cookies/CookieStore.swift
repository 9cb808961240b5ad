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
/// Any thread may use it.
public final class CookieStore: Sendable {
  struct Entry {
    var cookie: Cookie
    /// Counts when it came; what takes its place keeps it.
    let number: Int
    var lastUse: Int
  }

  struct State {
    var entries: [Cookie.Identity: Entry] = [:]
    /// Counts arrivals and uses.
    var clock = 0
    /// Counts changes to what a file has.
    var version = 0
    var written = 0
    var problem: FileError?
    /// Whether the file has those without an end too.
    let keepsSessions: Bool

    /// Notes that what a file has is not what it should have.
    mutating func noteChange(of cookie: Cookie) {
      if keepsSessions || cookie.expires != nil { version += 1 }
    }
  }

  static let domainLimit = 50
  static let limit = 3000

  private let state: Locked<State>
  private let suffixes: PublicSuffixes
  private let file: CookieFile?
  /// For calls of users; the agent says what its own clock says.
  private let clock: @Sendable () -> Date
  /// Whether the file has those without an end too.
  private let keepsSessions: Bool

  /// Makes an empty one, whose cookies are in memory alone.
  public convenience init() { self.init([]) }

  /// Makes one whose cookies are in a file of Netscape's format, as `curl -b` and `curl -c` have it.
  ///
  /// A missing file is made with the first cookie. Each change is written at once, as a whole, in the place of the file, which only its owner
  /// may read then. What another process has changed in it meanwhile is kept, and is in the store from then on.
  ///
  /// - Parameters:
  ///   - file: a URL of a file; its directory has to be there.
  ///   - keepsSessionCookies: whether cookies without an end are written too, as curl does it; `false`, the default, ends them
  ///     with the process, as in a browser. Those that are in the file are read in any case.
  /// - Throws: ``FileError`` where the file is there and cannot be read, or is no file of cookies.
  public convenience init(file: URL, keepsSessionCookies: Bool = false) throws {
    let place = try CookieFile(file)
    self.init([], file: place, keepsSessions: keepsSessionCookies)
    let cookies = try place.read(now: now)
    state.withLock { state in
      for cookie in cookies { state.insert(cookie) }
      state.written = state.version
    }
  }

  init(
    _ cookies: [Cookie] = [], file: CookieFile? = nil, keepsSessions: Bool = false,
    suffixes: PublicSuffixes = .system, clock: @escaping @Sendable () -> Date = { SystemTime.date }
  ) {
    var state = State(keepsSessions: keepsSessions)
    for cookie in cookies { state.insert(cookie) }
    (state.version, state.written) = (0, 0)
    self.state = Locked(state)
    (self.file, self.suffixes, self.keepsSessions, self.clock) = (file, suffixes, keepsSessions, clock)
  }

  private var now: Date { clock() }

  /// All that have not ended, in the order in which they came.
  public var all: [Cookie] { cookies(now: now) }

  func cookies(now: Date) -> [Cookie] {
    let entries = state.withLock { Array($0.entries.values) }
    return entries.filter { !$0.cookie.hasExpired(by: now) }.sorted { $0.number < $1.number }.map(\.cookie)
  }

  /// Those that a request to a URL has, in the order in which they are sent: longer paths first, then older ones.
  public func cookies(for url: URL) -> [Cookie] { cookies(for: url, CookieContext(), now: now) }

  func cookies(for url: URL, _ context: CookieContext, now: Date) -> [Cookie] {
    guard let origin = CookieOrigin(url) else { return [] }
    let found = state.withLock { state in
      guard !state.entries.isEmpty else { return [Entry]() }
      let found = state.entries.values.filter { entry in
        let cookie = entry.cookie
        return !cookie.hasExpired(by: now) && (origin.isSecure || !cookie.isSecure)
          && (cookie.isHostOnly
            ? origin.host == cookie.domain : CookieOrigin.isHost(origin.host, in: cookie.domain))
          && CookieOrigin.isPath(origin.path, under: cookie.path)
      }
      for entry in found { state.use(entry.cookie.identity) }
      return found
    }
    let allowed = found.filter { context.allows($0.cookie.sameSite, to: origin, suffixes) }
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
    let added = cookies.filter { !names.contains($0.name[...]) }.map(\.pair)
    headers["Cookie"] = (own + added).joined(separator: "; ")
  }

  /// Keeps a cookie, in the place of one with the same name, domain and path; one that has ended takes that one away.
  public func set(_ cookie: Cookie) {
    state.withLock { state in
      if cookie.hasExpired(by: now) {
        state.remove(cookie.identity)
      } else {
        state.insert(cookie)
        state.bound(cookie.domain, now: now)
      }
    }
    write()
  }

  /// Takes cookies away.
  public func remove(where isUnwanted: (Cookie) -> Bool) {
    // Asked outside the lock.
    let unwanted = Set(all.filter(isUnwanted).map(\.identity))
    state.withLock { state in state.remove { unwanted.contains($0.identity) } }
    write()
  }

  /// Takes all away, from the file too, also what another process has put there.
  public func removeAll() {
    state.withLock { state in
      state.remove { _ in true }
      // There may be others in the file.
      state.version += 1
    }
    write(isWhole: true)
  }

  /// Takes what a response sets.
  func take(_ headers: HTTPHeaders, from url: URL, now: Date) {
    guard headers.contains("Set-Cookie"), let origin = CookieOrigin(url) else { return }
    let fields = headers.values(for: "Set-Cookie").compactMap { SetCookie($0, now: now) }
    let cookies = fields.compactMap { cookie(of: $0, from: origin) }
    state.withLock { state in
      for cookie in cookies {
        if !origin.isSecure, !cookie.isSecure, state.shields(cookie) { continue }
        if cookie.hasExpired(by: now) { state.remove(cookie.identity) } else { state.insert(cookie) }
      }
      // Once for all of them: a server may set a thousand.
      for domain in Set(cookies.map(\.domain)) { state.bound(domain, now: now) }
    }
    write()
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
      isSecure: field.isSecure, isHTTPOnly: field.isHTTPOnly, sameSite: field.sameSite)
    return cookie.isAllowed(sayingPath: field.path) ? cookie : nil
  }

  // MARK: Files

  /// Why a file of cookies cannot be read or written.
  public struct FileError: Error, Hashable, CustomStringConvertible {
    /// Its path.
    public let path: String
    /// As a clause: `cannot be written: No space left on device`.
    public let reason: String

    /// The path and the reason.
    public var description: String { "\(path.printed) \(reason)" }
  }

  /// Why the last change is not in the file; `nil` where it is, and where there is no file.
  ///
  /// The cookies are in memory all the same, and the next change tries again.
  public var fileProblem: FileError? { state.withLock { $0.problem } }

  /// All that have not ended in Netscape's format, also those without an end; for `curl -b`.
  public var netscapeText: String { CookieFile.text(of: all) }

  /// Takes over what a text of Netscape's format has, in the place of what is there; lines that are no cookies are ignored.
  public func read(netscapeText text: String) {
    let now = clock()
    let cookies = CookieFile.cookies(in: text, now: now)
    state.withLock { state in
      for cookie in cookies {
        state.insert(cookie)
        state.bound(cookie.domain, now: now)
      }
    }
    write()
  }

  /// Writes what has changed; of several at once the last has it all.
  private func write(isWhole: Bool = false) {
    guard let file else { return }
    let now = now
    var (version, own) = (0, [Cookie]())
    file.update(now: now, isWhole: isWhole, keepsSessions: keepsSessions) {
      let isNew = state.withLock { state in
        version = state.version
        return version != state.written
      }
      guard isNew else { return nil }
      own = cookies(now: now)
      return own
    } done: { result in
      state.withLock { $0.note(result, version: version, own: own) }
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

extension CookieStore.State {
  /// Notes how writing went, and takes over what another process has changed, unless that has changed here meanwhile.
  mutating func note(
    _ result: Result<CookieFile.Changes, CookieStore.FileError>, version: Int, own: [Cookie]
  ) {
    switch result {
    case .failure(let error): problem = error
    case .success(let changes):
      problem = nil
      let isCurrent = self.version == version
      let before = Dictionary(own.map { ($0.identity, $0) }) { _, last in last }
      for cookie in changes.added where entries[cookie.identity]?.cookie == before[cookie.identity] {
        insert(cookie)
      }
      let removed = changes.removed.filter { entries[$0]?.cookie == before[$0] }
      remove { removed.contains($0.identity) }
      // What was taken over is in the file.
      written = isCurrent ? self.version : version
    }
  }

  mutating func insert(_ cookie: Cookie) {
    let old = entries[cookie.identity]
    if let old, old.cookie != cookie { noteChange(of: old.cookie) }
    if old?.cookie != cookie { noteChange(of: cookie) }
    clock += 1
    entries[cookie.identity] = .init(cookie: cookie, number: old?.number ?? clock, lastUse: clock)
  }

  mutating func use(_ identity: Cookie.Identity) {
    clock += 1
    entries[identity]?.lastUse = clock
  }

  mutating func remove(_ identity: Cookie.Identity) {
    guard let entry = entries.removeValue(forKey: identity) else { return }
    noteChange(of: entry.cookie)
  }

  mutating func remove(_ isUnwanted: (Cookie) -> Bool) {
    for (identity, entry) in entries where isUnwanted(entry.cookie) {
      noteChange(of: entry.cookie)
      entries[identity] = nil
    }
  }

  /// Whether a cookie that was set in the open would stand before one that is `Secure`.
  func shields(_ new: Cookie) -> Bool {
    entries.values.contains { entry in
      let old = entry.cookie
      return old.isSecure && old.name == new.sentName && CookieOrigin.isPath(new.path, under: old.path)
        && (CookieOrigin.isHost(old.domain, in: new.domain)
          || CookieOrigin.isHost(new.domain, in: old.domain))
    }
  }

  /// Keeps to the limits: what has ended goes first, then of the domain those that are not `Secure`, then what was used the longest ago.
  mutating func bound(_ domain: String, now: Date) {
    let ofDomain = entries.values.filter { $0.cookie.domain == domain }
    guard ofDomain.count > CookieStore.domainLimit || entries.count > CookieStore.limit else { return }
    remove { $0.hasExpired(by: now) }
    let rest = entries.values.filter { $0.cookie.domain == domain }
    drop(rest.count - CookieStore.domainLimit, of: rest)
    drop(entries.count - CookieStore.limit, of: Array(entries.values))
  }

  private mutating func drop(_ count: Int, of candidates: [CookieStore.Entry]) {
    guard count > 0 else { return }
    let order = candidates.sorted { a, b in
      a.cookie.isSecure != b.cookie.isSecure ? !a.cookie.isSecure : a.lastUse < b.lastUse
    }
    let dropped = Set(order.prefix(count).map(\.cookie.identity))
    remove { dropped.contains($0.identity) }
  }
}
