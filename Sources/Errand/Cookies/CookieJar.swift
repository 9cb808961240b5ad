import Foundation

/// The cookies of a store by domain, with the state of the file.
struct CookieJar {
  struct Entry {
    var cookie: Cookie
    /// The number in the order of creation; a replacement keeps the number of the replaced cookie.
    let number: Int
    var lastUse: Int
  }

  static let domainLimit = 50
  static let limit = 3000

  private var domains: [String: [Cookie.Identity: Entry]] = [:]
  private var count = 0
  private var clock = 0
  /// Grows with each change that must be written to the file.
  private(set) var version = 0
  private var writtenVersion = 0
  /// The version after the last ``removeAll()``; the next write discards the cookies of other processes.
  private var clearedVersion = 0
  private(set) var problem: FileError?
  var isWriteQueued = false
  private let keepsSessions: Bool
  /// The session cookies with a line in the file, for example of `curl -c`.
  private var fileSessions: Set<Cookie.Identity> = []

  init(_ cookies: [Cookie] = [], keepsSessions: Bool) {
    self.keepsSessions = keepsSessions
    for cookie in cookies { insert(cookie) }
    version = 0
  }

  var isUnwritten: Bool { version != writtenVersion }

  var isCleared: Bool { clearedVersion > writtenVersion }

  func cookies(now: Date) -> [Cookie] {
    domains.values.flatMap(\.values).filter { !$0.cookie.hasExpired(by: now) }
      .sorted { $0.number < $1.number }.map(\.cookie)
  }

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

  mutating func removeAll() {
    (domains, count) = ([:], 0)
    version += 1
    clearedVersion = version
  }

  mutating func set(_ cookie: Cookie, now: Date) {
    if cookie.hasExpired(by: now) { remove(cookie.identity) } else { insert(cookie) }
  }

  mutating func receive(_ cookies: [Cookie], isSecure: Bool, now: Date) {
    let names = Set(cookies.map(\.domain))
    let shields = isSecure ? nil : shields(near: names)
    for cookie in cookies where cookie.isSecure || shields?.cover(cookie) != true { set(cookie, now: now) }
    // The limits are applied once per domain, because a response may set a thousand cookies.
    for domain in names { bound(domain, now: now) }
  }

  private mutating func noteChange(of cookie: Cookie) {
    if keepsSessions || cookie.expires != nil || fileSessions.contains(cookie.identity) { version += 1 }
  }

  // MARK: Bounds

  /// The `Secure` cookies that an insecure response must not shadow
  /// (draft-ietf-httpbis-rfc6265bis section 5.7).
  private struct Shields {
    var cookies: [String: [Cookie]] = [:]

    func cover(_ new: Cookie) -> Bool {
      // The sent name counts too, because a nameless cookie may shadow a cookie with a name.
      Set([new.name, new.sentName]).contains { name in
        cookies[name]?.contains { old in
          CookieOrigin.isPath(new.path, under: old.path) && old.isNear(new.domain)
        } ?? false
      }
    }
  }

  private func shields(near names: Set<String>) -> Shields {
    var shields = Shields()
    for entries in domains.values {
      for entry in entries.values where entry.cookie.isSecure && names.contains(where: entry.cookie.isNear) {
        for name in Set([entry.cookie.name, entry.cookie.sentName]) {
          shields.cookies[name, default: []].append(entry.cookie)
        }
      }
    }
    return shields
  }

  mutating func bound(_ domain: String, now: Date) {
    guard domains[domain]?.count ?? 0 > Self.domainLimit || count > Self.limit else { return }
    remove { $0.hasExpired(by: now) }
    drop((domains[domain]?.count ?? 0) - Self.domainLimit, of: domain)
    drop(count - Self.limit, of: nil)
  }

  private mutating func drop(_ count: Int, of domain: String?) {
    guard count > 0 else { return }
    let candidates =
      domain.map { Array(domains[$0, default: [:]].values) } ?? domains.values.flatMap(\.values)
    func isBefore(_ a: Entry, other b: Entry) -> Bool {
      a.cookie.isSecure != b.cookie.isSecure ? !a.cookie.isSecure : a.lastUse < b.lastUse
    }
    let order =
      count == 1 ? [candidates.min(by: isBefore)].compactMap(\.self) : candidates.sorted(by: isBefore)
    for entry in order.prefix(count) { remove(entry.cookie.identity) }
  }

  // MARK: The file

  mutating func load(_ cookies: [Cookie]) {
    add(ofFile: cookies)
    writtenVersion = version
  }

  private mutating func add(ofFile cookies: [Cookie]) {
    fileSessions.formUnion(cookies.filter { $0.expires == nil }.map(\.identity))
    for cookie in cookies { insert(cookie) }
  }

  /// Records the result of a write.
  ///
  /// Changes made in the store during the write take precedence over changes of other processes.
  mutating func note(
    _ result: Result<CookieFile.Changes, FileError>, version: Int, own: [Cookie]
  ) {
    switch result {
    case .failure(let error): problem = error
    case .success(let changes):
      problem = nil
      let isCurrent = self.version == version
      if !changes.isEmpty, clearedVersion <= version { merge(changes, own: own) }
      // The file already has the merged cookies, so the merge needs no further write.
      writtenVersion = isCurrent ? self.version : version
    }
  }

  private mutating func merge(_ changes: CookieFile.Changes, own: [Cookie]) {
    let before = Dictionary(own.map { ($0.identity, $0) }) { _, last in last }
    func isUnchanged(_ identity: Cookie.Identity) -> Bool {
      domains[identity.domain]?[identity]?.cookie == before[identity]
    }
    add(ofFile: changes.added.filter { isUnchanged($0.identity) })
    for identity in changes.removed where isUnchanged(identity) { remove(identity) }
  }
}

extension Cookie {
  fileprivate func isNear(_ other: String) -> Bool {
    CookieOrigin.isHost(domain, in: other) || CookieOrigin.isHost(other, in: domain)
  }
}
