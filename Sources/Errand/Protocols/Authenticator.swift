public import Foundation

/// Adds credentials to requests.
///
/// Set the authenticator of an agent in ``AgentConfiguration/authenticator``. ``Request/authentication``
/// changes the choice for a request. Errand includes ``BearerAuthenticator``, ``BasicAuthenticator``,
/// ``PasswordAuthenticator`` and ``APIKeyAuthenticator``.
///
/// ## Choose between an authenticator and a hook
///
/// A `filterRequest` hook runs earlier. An authenticator receives the complete request, so a signature can
/// cover method, URL, headers and body. After signing, the agent's cache and the transport may still add
/// headers, such as `If-None-Match`.
///
/// The authenticator signs the first request of an attempt. In the same attempt, the authenticator also signs
/// the request of a redirect, unless a redirect has led to another origin. A request to a `data:` URL or to
/// an untrusted origin (``AgentConfiguration/trustedOrigins``) is not signed. No request is signed for a
/// ``MockPolicy/whenFailed`` mock.
///
/// ## Implement an authenticator
///
/// Change the request in ``authenticate(_:context:)``. Store expiring credentials in a ``CredentialStore``,
/// so that waiting requests share a refresh. Types with secrets should hide the secrets from `print` and
/// `dump`.
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
  /// Called after the `filterRequest` hooks, off the main actor unless marked `@MainActor`. The agent checks
  /// the changed request again. The dispatch awaits the call, so waits inside the method should observe
  /// ``Authentication/Context/cancellation``.
  ///
  /// A thrown error fails the attempt at the stage ``Stage/authenticate``, and the request is not sent. The
  /// kind is ``RequestError/Kind/authentication``, unless a thrown ``Refusal`` chooses another kind or a time
  /// limit has passed. In a cancelled dispatch, the outcome is the cancellation. The ``RetryPolicy`` may
  /// retry only after a timeout.
  func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws

  /// Returns true if a response refuses the credentials of the signed request.
  ///
  /// By default, status 401 is a refusal (RFC 9110 section 11.4).
  ///
  /// Called before any validator, for the final response to a signed request, with any status. Called off the
  /// main actor unless marked `@MainActor`. The head has no body. To find a refusal in a body, use a
  /// validator.
  ///
  /// After `true`, ``renew(after:context:)`` receives the response with up to ``RequestError/bodyLimit``
  /// bytes of the body, if another attempt is possible. The validators judge the response if `renew` returns
  /// `false`, or is not called.
  func isRefusal(_ head: HTTPResponse, context: Authentication.Context) async -> Bool

  /// Returns true to ask for another attempt with other credentials.
  ///
  /// Renew refused credentials and read challenges in this method. Called for a response refused by
  /// ``isRefusal(_:context:)``, and for other failures of a signed attempt. Not called after
  /// ``maximumRounds`` granted attempts, a cancellation or the deadline, once the caller has the head of a
  /// stream, or with ``CachePolicy/cacheOnly``. A granted attempt has no retry wait, and does not depend on
  /// the ``RetryPolicy``. A body that can be produced only once is not sent again. Returns `false` by
  /// default.
  ///
  /// A thrown error becomes the failure of the attempt, usually without a retry. The kind is
  /// ``RequestError/Kind/authentication``, unless a thrown ``Refusal`` chooses another kind or the deadline
  /// has passed.
  func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool

  /// The number of attempts that ``renew(after:context:)`` may grant in a dispatch, from 1 to 3; 1 by
  /// default.
  ///
  /// Values below 1 count as 1, values above 3 as 3. Raise the number for schemes with several challenges.
  var maximumRounds: Int { get }

  /// Returns a redaction that also hides values written by this authenticator, by name or by value.
  ///
  /// Returns `redaction` unchanged by default. May be called repeatedly. ``Redaction/standard`` hides values
  /// sent under secret names, such as `Authorization`, without this method.
  func hidingSecrets(in redaction: Redaction) -> Redaction
}

extension Authenticator {
  /// Returns true for status 401.
  public func isRefusal(_ head: HTTPResponse, context: Authentication.Context) async -> Bool {
    head.status == 401
  }
  /// Returns `false`: the failure is final.
  public func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool {
    false
  }
  /// 1.
  public var maximumRounds: Int { 1 }
  /// Returns `redaction` unchanged.
  public func hidingSecrets(in redaction: Redaction) -> Redaction { redaction }
}

extension Authentication {
  /// The context of a call to an ``Authenticator``.
  public struct Context: Sendable {
    /// The context of the dispatch; in a refresh, of the dispatch that started the refresh.
    public let dispatch: RequestContext
    let sender: any RequestSender
    /// A signal that ends a wait in the authenticator.
    ///
    /// In a refresh of a ``CredentialStore``, the signal fires only after the time limit of the refresh. In
    /// other calls, the signal fires when the dispatch is cancelled, or when a time limit of the call passes.
    public internal(set) var cancellation: CancellationSignal
    /// True if no request may be sent; use expired credentials unchanged.
    ///
    /// The value is true only in `authenticate`, for example for ``RequestAgent/explain(_:)`` and with
    /// ``CachePolicy/cacheOnly``.
    public let isExplanation: Bool
    /// The number of attempts that ``Authenticator/renew(after:context:)`` has granted in this dispatch, from
    /// 0.
    ///
    /// An authenticator serves many dispatches at once, so keep the state between rounds separate for each
    /// dispatch.
    public internal(set) var round = 0
    /// The storage for the identity reported by ``identify(as:)``; `nil`: no identity is needed.
    let identity: Locked<String?>?

    /// Sends a request for credentials, with the agent of the dispatch, like ``RequestAgent/send(_:)``.
    ///
    /// Set ``Request/authentication`` of the request to ``Authentication/none``. A request signed by the same
    /// authenticator may fail, or wait forever. Do not store the agent in an authenticator, because the two
    /// would retain each other.
    ///
    /// - Throws: ``RequestError``; `CancellationError` when the calling task was cancelled.
    @discardableResult
    public func send<R: Request>(_ request: R) async throws -> R.Response { try await sender.send(request) }

    /// Reports the identity behind the credentials, for coalescing and the cache.
    ///
    /// Call the method if equal requests get different signatures, for example from a time stamp. A
    /// ``CoalescingPolicy`` and the cache then use the unsigned request and the identity in place of the
    /// signed request. The identity must name the user and everything else that the response depends on.
    public func identify(as identity: String) { self.identity?.withLock { $0 = identity } }

    /// The wall time of the agent's clock, to compare with expiry dates.
    public var date: Date { sender.clock.date }
  }
}

extension Authentication.Context: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The description of the dispatch's context.
  public var description: String { dispatch.description }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// A mirror with the dispatch's numbers only, for `dump`.
  public var customMirror: Mirror { Mirror(self, children: ["dispatch": dispatch]) }
}

protocol RequestSender: AnyObject, Sendable {
  var clock: AgentClock { get }
  func send<R: Request>(_ request: R) async throws -> R.Response
}
