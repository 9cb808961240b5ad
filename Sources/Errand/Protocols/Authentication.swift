/// The choice of an authenticator for a request.
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

  /// The agent's authenticator, if any.
  public static let inherited = Authentication(storage: .inherited)

  /// No authenticator, for example for a request that renews credentials.
  public static let none = Authentication(storage: .none)

  /// Returns an authentication that uses the given authenticator.
  public static func with(_ authenticator: any Authenticator) -> Authentication {
    Authentication(storage: .own(authenticator))
  }

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
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
