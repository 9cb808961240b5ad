import Foundation

/// The cookies of a store, by their domains, and which of their changes a file has.
struct CookieJar {
  struct Entry {
    var cookie: Cookie
    /// Counts when the cookie came; a cookie that takes its place keeps the number.
    let number: Int
    var lastUse: Int
  }

  static let domainLimit = 50
  static let limit = 3000

  /// Each domain that has a cookie.
  private var domains: [String: [Cookie.Identity: Entry]] = [:]
  /// The number of cookies in all domains.
  private var count = 0
  /// Counts arrivals and uses.
  private var clock = 0
  /// Counts changes to the cookies that a file has.
  private(set) var version = 0
  /// The version that the file has.
  private var written = 0
  /// The version since which the cookies of other processes do not count: all cookies were removed then.
  private var clearedVersion = 0
  /// Why the last writing failed; `nil` where it did not.
  private(set) var problem: FileError?
  /// Whether writing has been put on the queue and has not begun.
  var isWritingQueued = false
  /// Whether a file has the cookies without an end too.
  private let keepsSessions: Bool

  init(_ cookies: [Cookie] = [], keepsSessions: Bool) {
    self.keepsSessions = keepsSessions
    for cookie in cookies { insert(cookie) }
    version = 0
  }

  /// Whether a file lacks a change.
  var isUnwritten: Bool { version != written }

  /// Whether the file is to lose what other processes have put there.
  var isCleared: Bool { clearedVersion > written }

  /// All cookies that have not ended, in the order in which they came.
  func cookies(now: Date) -> [Cookie] {
    domains.values.flatMap(\.values).filter { !$0.cookie.hasExpired(by: now) }
      .sorted { $0.number < $1.number }.map(\.cookie)
  }

  /// Finds the cookies for a place, and notes their use; looks only at the domains that the host belongs to.
  mutating func use(for origin: CookieOrigin, now: Date) -> [Entry] {
    var found: [Entry] = []
    for domain in origin.domains {
      guard let entries = domains[domain] else { continue }
      for (identity, entry) in entries {
        let cookie = entry.cookie
        guard !cookie.hasExpired(by: now), origin.isSecure || !cookie.isSecure,
          !cookie.isHostOnly || origin.host == domain, CookieOrigin.isPath(origin.path, under: cookie.path)
        else { continue }
        clock += 1
        domains[domain]?[identity]?.lastUse = clock
        found.append(entry)
      }
    }
    return found
  }

  // MARK: Changes

  mutating func insert(_ cookie: Cookie) {
    let identity = cookie.identity
    let old = domains[cookie.domain]?[identity]
    if let old, old.cookie != cookie { noteChange(of: old.cookie) }
    if old?.cookie != cookie { noteChange(of: cookie) }
    if old == nil { count += 1 }
    clock += 1
    domains[cookie.domain, default: [:]][identity] = Entry(
      cookie: cookie, number: old?.number ?? clock, lastUse: clock)
  }

  mutating func remove(_ identity: Cookie.Identity) {
    guard let entry = domains[identity.domain]?.removeValue(forKey: identity) else { return }
    if domains[identity.domain]?.isEmpty == true { domains[identity.domain] = nil }
    count -= 1
    noteChange(of: entry.cookie)
  }

  private mutating func remove(_ isUnwanted: (Cookie) -> Bool) {
    for entries in domains.values {
      for (identity, entry) in entries where isUnwanted(entry.cookie) { remove(identity) }
    }
  }

  /// Removes all cookies, also those that other processes have put into the file.
  mutating func removeAll() {
    (domains, count) = ([:], 0)
    version += 1
    clearedVersion = version
  }

  /// Puts a cookie in, or takes the one with its identity away where the cookie has ended.
  mutating func set(_ cookie: Cookie, now: Date) {
    if cookie.hasExpired(by: now) { remove(cookie.identity) } else { insert(cookie) }
  }

  /// Takes what one response sets.
  ///
  /// - Parameter isSecure: whether the response came over https, or from this machine.
  mutating func take(_ cookies: [Cookie], isSecure: Bool, now: Date) {
    let names = Set(cookies.map(\.domain))
    let shields = isSecure ? nil : shields(near: names)
    for cookie in cookies where cookie.isSecure || shields?.cover(cookie) != true { set(cookie, now: now) }
    // Once for all of them: a server may set a thousand.
    for domain in names { bound(domain, now: now) }
  }

  private mutating func noteChange(of cookie: Cookie) {
    if keepsSessions || cookie.expires != nil { version += 1 }
  }

  // MARK: Bounds

  /// The `Secure` cookies that one set in the open may not stand before, by name.
  private struct Shields {
    var cookies: [String: [Cookie]] = [:]

    func cover(_ new: Cookie) -> Bool {
      cookies[new.sentName]?.contains { old in
        CookieOrigin.isPath(new.path, under: old.path) && old.isNear(new.domain)
      } ?? false
    }
  }

  private func shields(near names: Set<String>) -> Shields {
    var shields = Shields()
    for entries in domains.values {
      for entry in entries.values where entry.cookie.isSecure && names.contains(where: entry.cookie.isNear) {
        shields.cookies[entry.cookie.name, default: []].append(entry.cookie)
      }
    }
    return shields
  }

  /// Keeps to the limits: what has ended goes first, then of the domain those that are not `Secure`, then what was used the longest ago.
  mutating func bound(_ domain: String, now: Date) {
    guard domains[domain]?.count ?? 0 > Self.domainLimit || count > Self.limit else { return }
    remove { $0.hasExpired(by: now) }
    drop((domains[domain]?.count ?? 0) - Self.domainLimit, of: domain)
    drop(count - Self.limit, of: nil)
  }

  /// - Parameter domain: whose cookies go; `nil` for any.
  private mutating func drop(_ count: Int, of domain: String?) {
    guard count > 0 else { return }
    let candidates =
      domain.map { Array(domains[$0, default: [:]].values) } ?? domains.values.flatMap(\.values)
    func isBefore(_ a: Entry, other b: Entry) -> Bool {
      a.cookie.isSecure != b.cookie.isSecure ? !a.cookie.isSecure : a.lastUse < b.lastUse
    }
    // As a rule it is one too many: that one is found without an order of all.
    let order =
      count == 1 ? [candidates.min(by: isBefore)].compactMap(\.self) : candidates.sorted(by: isBefore)
    for entry in order.prefix(count) { remove(entry.cookie.identity) }
  }

  // MARK: The file

  /// Notes what was read from the file: nothing of it is a change.
  mutating func load(_ cookies: [Cookie]) {
    for cookie in cookies { insert(cookie) }
    written = version
  }

  /// Notes how writing went, and takes over what another process has changed, unless that has changed here meanwhile.
  ///
  /// - Parameters:
  ///   - version: of what was written.
  ///   - own: the cookies of that version.
  mutating func note(
    _ result: Result<CookieFile.Changes, FileError>, version: Int, own: [Cookie]
  ) {
    switch result {
    case .failure(let error): problem = error
    case .success(let changes):
      problem = nil
      let isCurrent = self.version == version
      if !changes.isEmpty { merge(changes, own: own) }
      // What was taken over is in the file.
      written = isCurrent ? self.version : version
    }
  }

  private mutating func merge(_ changes: CookieFile.Changes, own: [Cookie]) {
    let before = Dictionary(own.map { ($0.identity, $0) }) { _, last in last }
    func isUnchanged(_ identity: Cookie.Identity) -> Bool {
      domains[identity.domain]?[identity]?.cookie == before[identity]
    }
    for cookie in changes.added where isUnchanged(cookie.identity) { insert(cookie) }
    for identity in changes.removed where isUnchanged(identity) { remove(identity) }
  }
}

extension Cookie {
  /// Whether its domain is a domain, above it or below it.
  fileprivate func isNear(_ other: String) -> Bool {
    CookieOrigin.isHost(domain, in: other) || CookieOrigin.isHost(other, in: domain)
  }
}
