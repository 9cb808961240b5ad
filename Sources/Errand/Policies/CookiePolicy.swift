/// The cookie store that a request uses.
///
/// ```swift
/// struct GetLogo: Request {
///   typealias Response = Data
///   let path = "logo.png"
///   let cookies = CookiePolicy.none
/// }
/// ```
public struct CookiePolicy: Sendable, Hashable {
  private enum Storage: Sendable {
    case inherited, none
    case store(CookieStore)
  }

  private let storage: Storage

  /// The agent's cookie store, ``AgentConfiguration/cookies``.
  public static let inherited = CookiePolicy(storage: .inherited)

  /// No cookie store: Errand neither adds nor stores cookies.
  public static let none = CookiePolicy(storage: .none)

  /// The given cookie store.
  public static func store(_ store: CookieStore) -> CookiePolicy { CookiePolicy(storage: .store(store)) }

  var isInherited: Bool { if case .inherited = storage { true } else { false } }

  func store(inheriting agentStore: CookieStore?) -> CookieStore? {
    switch storage {
    case .inherited: agentStore
    case .none: nil
    case .store(let store): store
    }
  }

  private var identity: ObjectIdentifier? {
    if case .store(let store) = storage { ObjectIdentifier(store) } else { nil }
  }

  /// Compares stores by identity.
  public static func == (a: CookiePolicy, b: CookiePolicy) -> Bool {
    a.isInherited == b.isInherited && a.identity == b.identity
  }

  /// Hashes a store by identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(isInherited)
    hasher.combine(identity)
  }
}

extension CookiePolicy: CustomStringConvertible {
  /// `inherited`, `none` or `a store of its own`.
  public var description: String {
    isInherited ? "inherited" : identity == nil ? "none" : "a store of its own"
  }
}
