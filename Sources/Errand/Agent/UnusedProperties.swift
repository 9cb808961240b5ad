/// What a request stores under the name of a member of ``Request``, or nearly, and that is no witness of it: the compiler is
/// silent about it, and the default is used.
///
/// Found by a mirror, which reads a struct's copy of the dispatch and runs no code of its owner. Objects are left out:
/// what they store may be changed meanwhile, on an actor of theirs. So are types with a mirror of their own.
struct UnusedProperties {
  /// One for each property, in the order in which they are declared.
  let clauses: [String]

  private let type: String

  /// Looks into a request, within its overrides; not to be done on the main actor.
  init(of request: any Request) {
    let request = (request as? any RequestWrapper)?.wrapped ?? request
    type = "\(Swift.type(of: request))"
    guard !(request is any CustomReflectable) else {
      clauses = []
      return
    }
    let mirror = Mirror(reflecting: request)
    // The payload of an enum's case is a child too, with the name of the case.
    guard mirror.displayStyle == .struct, !mirror.children.isEmpty else {
      clauses = []
      return
    }
    let meant = Swift.type(of: request).domainProperties
    let members = RequestMember.all + (request is any DownloadRequest ? RequestMember.downloads : [])
    clauses = mirror.children.compactMap { label, value in
      // Property wrappers and `lazy` store under names of their own.
      guard let label, let first = label.first, first != "_", first != "$", !meant.contains(label)
      else { return nil }
      return RequestMember.clause(about: label, value, in: request, of: members)
    }
  }

  /// All of it with the cure; `nil` when there is nothing.
  var message: String? {
    guard !clauses.isEmpty else { return nil }
    return """
      \(type) stores what is not used:
      \(clauses.map { "  \($0)" }.joined(separator: "\n"))
      Give a member the name and the type it has in the protocol; what is meant so is named in domainProperties.
      """
  }
}

extension UnusedProperties {
  /// The types of which a debug build has spoken.
  private static let known = Locked(Set<ObjectIdentifier>())

  /// Tells the scope of a test of it, else the developer of a debug build; elsewhere it does nothing.
  @inline(__always)
  static func tell(of request: some Request, in entry: InFlight.Entry) {
    if DebugLog.isOn || entry.hasScope { tell(of: request, in: entry.scope) }
  }

  @inline(never)
  private static func tell(of request: some Request, in scope: (any TransportScope)?) {
    let wrapped = (request as? any RequestWrapper)?.wrapped ?? request
    let type = ObjectIdentifier(Swift.type(of: wrapped))
    if let scope { return scope.notice(type) { UnusedProperties(of: wrapped).message } }
    guard known.withLock({ $0.insert(type).inserted }), let message = UnusedProperties(of: wrapped).message
    else { return }
    DebugLog.say(message)
  }
}
