/// The stored properties of a request that were probably meant as members of ``Request``.
///
/// Classes are skipped, because another thread may change an object during the inspection.
struct UnusedProperties {
  let clauses: [String]

  private let type: String

  /// Inspects a request; must run off the main actor.
  init(of request: any Request) {
    let request = (request as? any RequestWrapper)?.wrapped ?? request
    type = "\(Swift.type(of: request))"
    guard !(request is any CustomReflectable) else {
      clauses = []
      return
    }
    let mirror = Mirror(reflecting: request)
    // Only structs are inspected: the mirror of an enum shows the payload under the name of the case.
    guard mirror.displayStyle == .struct, !mirror.children.isEmpty else {
      clauses = []
      return
    }
    let meant = Swift.type(of: request).domainProperties
    let members = RequestMember.all + (request is any DownloadRequest ? RequestMember.downloads : [])
    clauses = mirror.children.compactMap { label, value in
      // Property wrappers and `lazy` properties are stored under prefixed names.
      guard let label, let first = label.first, first != "_", first != "$", !meant.contains(label)
      else { return nil }
      return RequestMember.clause(about: label, value, in: request, of: members)
    }
  }

  var message: String? {
    guard !clauses.isEmpty else { return nil }
    return """
      \(type) has stored properties that Errand ignores:
      \(clauses.map { "  \($0)" }.joined(separator: "\n"))
      Give each property the name and the type of the protocol member, or list the name in domainProperties.
      """
  }
}

extension UnusedProperties {
  /// The types already inspected outside of test scopes.
  private static let known = Locked(Set<ObjectIdentifier>())

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
    DebugLog.write(message)
  }
}
