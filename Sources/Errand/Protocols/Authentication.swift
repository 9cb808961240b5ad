/// Whose credentials a request carries: one immutable value.
///
/// ```swift
/// struct RenewToken: Request {
///   typealias Response = Token
///   let path = "oauth/token"
///   let method = HTTPMethod.post
///   let authentication = Authentication.none
/// }
/// ```
public struct Authentication: Sendable {
  enum Storage: Sendable {
    case inherited
    case none
    case own(any Authenticator)
  }

  let storage: Storage

  /// The agent's; none where the agent has no authenticator.
  public static let inherited = Authentication(storage: .inherited)

  /// None: for public endpoints, and for the requests that fetch or renew credentials, which must not wait for them.
  public static let none = Authentication(storage: .none)

  /// Those of another authenticator than the agent's.
  public static func with(_ authenticator: any Authenticator) -> Authentication {
    Authentication(storage: .own(authenticator))
  }

  /// The authenticator to ask; `nil` for none.
  @inline(__always)
  func authenticator(or inherited: (any Authenticator)?) -> (any Authenticator)? {
    switch storage {
    case .inherited: inherited
    case .none: nil
    case .own(let authenticator): authenticator
    }
  }
}

extension Authentication: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `inherited`, `none`, or the name of the authenticator's type.
  public var description: String {
    switch storage {
    case .inherited: "inherited"
    case .none: "none"
    case .own(let authenticator): "\(type(of: authenticator))"
    }
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the description only.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
