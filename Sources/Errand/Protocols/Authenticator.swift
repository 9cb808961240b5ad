public import Foundation

/// Adds credentials to requests.
///
/// Set an authenticator in ``AgentConfiguration/authenticator`` or ``Request/authentication``.
///
/// An authenticator runs after the `filterRequest` hooks, so a signature can cover method, URL, headers and
/// body.
///
/// Errand does not sign requests to untrusted origins (``AgentConfiguration/trustedOrigins``). After a
/// redirect to another origin, Errand signs no further request of the attempt.
///
/// Store expiring credentials in a ``CredentialStore``, so that waiting requests share a refresh.
///
/// ```swift
/// struct TeamAuthenticator: Authenticator {
///   var key: String
///   func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
///     request.headers["X-Team-Token"] = key
///   }
/// }
/// ```
public protocol Authenticator: Sendable {
  /// Adds credentials to a complete request.
  ///
  /// Called off the main actor unless marked `@MainActor`. End a wait in the method when
  /// ``Authentication/Context/cancellation`` fires.
  ///
  /// A thrown error usually fails the attempt with the kind ``RequestError/Kind/authentication``. A thrown
  /// ``Refusal`` chooses the kind.
  func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws

  /// Returns true if a response refuses the credentials; by default, for status 401 (RFC 9110 section 11.4).
  ///
  /// Called before the validators, for a response to a signed request. Not called for followed redirects.
  /// Called off the main actor unless marked `@MainActor`. To find a refusal in a body, use a validator.
  func isRefusal(_ head: HTTPResponse, context: Authentication.Context) async -> Bool

  /// Returns true to ask for another attempt with other credentials; returns `false` by default.
  ///
  /// May be called after a refusal (``isRefusal(_:context:)``) or another failure of a signed request.
  ///
  /// A thrown error has the same effect as in ``authenticate(_:context:)``.
  func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool

  /// The maximum number of rounds in a dispatch, from 1 to 3; 1 by default.
  ///
  /// A round is an additional attempt that ``renew(after:context:)`` grants.
  var maximumRounds: Int { get }

  /// Returns a redaction that also hides the credentials of the authenticator; returns `redaction` by
  /// default.
  ///
  /// ``Redaction/standard`` already hides the values of headers such as `Authorization`.
  func hidingSecrets(in redaction: Redaction) -> Redaction
}

extension Authenticator {
  /// Returns true for status 401.
  public func isRefusal(_ head: HTTPResponse, context: Authentication.Context) async -> Bool {
    head.status == 401
  }
  /// Returns `false`, so that no other attempt follows.
  public func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool {
    false
  }
  /// The default, 1.
  public var maximumRounds: Int { 1 }
  /// Returns `redaction` unchanged.
  public func hidingSecrets(in redaction: Redaction) -> Redaction { redaction }
}

extension Authentication {
  /// The context of a call to an ``Authenticator``.
  public struct Context: Sendable {
    /// The context of the dispatch that needs credentials.
    ///
    /// In a refresh for several dispatches, the context of the dispatch that started the refresh.
    public let dispatch: RequestContext
    let sender: any RequestSender
    /// The signal that ends waits in the authenticator.
    public internal(set) var cancellation: CancellationSignal
    /// True if no request may be sent, for example in ``RequestAgent/explain(_:)``.
    ///
    /// The authenticator must then use expired credentials unchanged.
    public let isExplanation: Bool
    /// The number of rounds granted so far in this dispatch; see ``Authenticator/maximumRounds``.
    ///
    /// If an authenticator keeps state between rounds, the state must be separate for each dispatch.
    public internal(set) var round = 0
    /// `nil` if neither coalescing nor the cache needs an identity.
    let identity: Locked<String?>?

    /// Sends a request for credentials with the agent of the dispatch.
    ///
    /// Set the request's ``Request/authentication`` to `.none`. Otherwise the request may wait forever for
    /// the credentials. Do not store the agent in an authenticator: the two would retain each other.
    ///
    /// - Throws: ``RequestError``, or `CancellationError` if the calling task is cancelled.
    @discardableResult
    public func send<R: Request>(_ request: R) async throws -> R.Response { try await sender.send(request) }

    /// Reports the identity behind the credentials, for coalescing and the cache.
    ///
    /// Call the method if equal requests get different signatures, for example because of a timestamp. The
    /// identity must name each part of the credentials that can change the response, such as the user.
    public func identify(as identity: String) { self.identity?.withLock { $0 = identity } }

    /// The wall time of the agent's clock.
    public var date: Date { sender.clock.date }
  }
}

extension Authentication.Context: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The description of ``dispatch``.
  public var description: String { dispatch.description }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// A mirror of ``dispatch``.
  public var customMirror: Mirror { Mirror(self, children: ["dispatch": dispatch]) }
}

protocol RequestSender: AnyObject, Sendable {
  var clock: AgentClock { get }
  func send<R: Request>(_ request: R) async throws -> R.Response
}
