public import Foundation

/// Adds credentials to requests, as the last change before the transport.
///
/// ``AgentConfiguration/authenticator`` is the authenticator of an agent; ``Request/authentication`` of a
/// request may name another authenticator, or none. Errand includes ``BearerAuthenticator``,
/// ``BasicAuthenticator`` and ``APIKeyAuthenticator``.
///
/// ## Choose between an authenticator and a hook
///
/// Both may change a request. A `filterRequest` hook runs earlier. An authenticator receives the final
/// method, URL, headers and body, so a signature covers the sent request. The authenticator runs for each
/// attempt and for each redirect within the origin, and never after a redirect to another origin. After a
/// refusal, the authenticator may renew its credentials, once for all waiting requests.
///
/// ## Implement an authenticator
///
/// Change the request in ``authenticate(_:context:)``. Store expiring credentials in a ``CredentialStore``,
/// which shares a refresh among all waiting requests. Types with secrets should hide the secrets from
/// `print` and `dump`.
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
  /// Adds credentials to a complete request: hooks have run, and later code does not change the request.
  ///
  /// Called off the main actor, for each attempt and for each redirect within the origin. The changed
  /// request is checked like any other request. The dispatch awaits the call, so waits inside should
  /// observe ``Authentication/Context/cancellation``. A thrown error ends the dispatch with
  /// ``RequestError/Kind/authentication`` at the stage ``Stage/authenticate``: nothing is sent and nothing
  /// is retried.
  func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws

  /// Returns true if a response refuses the credentials of its signed request.
  ///
  /// Called off the main actor, before any validator, for each response to a signed request with any
  /// status: a scheme may learn from a success too, as `Digest` does from `Authentication-Info` (RFC 7616
  /// section 3.5). The body is not read yet; validators find refusals in bodies. After `true`,
  /// ``renew(after:context:)`` receives the response with the first ``RequestError/bodyLimit`` bytes of the
  /// body, unless the dispatch has used its rounds, or the request's body can be produced only once. If
  /// `renew` has no other credentials, the response goes on to the validators. By default status 401 is a
  /// refusal (RFC 9110 section 11.4).
  func isRefusal(_ head: HTTPResponse, context: Authentication.Context) async -> Bool

  /// Judges the failure of a signed attempt; `true` asks for another attempt with other credentials.
  ///
  /// Called for a response refused by ``isRefusal(_:context:)``, and for each other failure at any stage,
  /// until ``maximumRounds`` attempts were granted. A granted attempt starts at once, independent of the
  /// ``RetryPolicy``. Renew refused credentials and read challenges here. A thrown error ends the dispatch
  /// with ``RequestError/Kind/authentication``. Returns `false` by default.
  func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool

  /// The number of attempts that ``renew(after:context:)`` may ask for in a dispatch; 1 by default, at most
  /// 3.
  ///
  /// Raise the number for schemes with several challenges. Each round receives the failure of the previous
  /// attempt with the newest challenge, and ``Authentication/Context/round`` counts the rounds. Values below
  /// 1 count as 1, values above 3 as 3. The last refusal is the final failure, with its challenges in
  /// ``RequestError/challenges``.
  var maximumRounds: Int { get }

  /// Returns a redaction that also hides values written by this authenticator, by names or by values.
  ///
  /// Called for an agent's authenticator in the initializer of the agent, and for a request's authenticator
  /// at each print. Returns `redaction` unchanged by default. Values under the name of a secret are hidden
  /// without this method, also in responses that repeat them.
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
  /// What an ``Authenticator`` is told besides the request, and what it may use.
  public struct Context: Sendable {
    /// The context of the dispatch.
    ///
    /// In a refresh: the context of the dispatch that started the refresh.
    public let dispatch: RequestContext
    /// The agent of the dispatch.
    let sender: any RequestSender
    /// A signal that fires when the dispatch is cancelled or past its deadline.
    ///
    /// In a refresh, the signal fires when the refresh takes too long; the end of a single dispatch has no
    /// effect.
    public internal(set) var cancellation: CancellationSignal
    /// True during ``RequestAgent/explain(_:)``: nothing may be sent, and expired credentials are shown
    /// unchanged.
    public let isExplanation: Bool
    /// The number of attempts already granted to the authenticator in this dispatch: 0 before the first.
    ///
    /// Store state between rounds under the ``RequestContext/id`` of ``dispatch``, because an authenticator
    /// serves many dispatches at once. In a refresh: the number of the dispatch that started the refresh.
    public internal(set) var round = 0
    /// The destination of ``identify(as:)``; `nil` if no identity is needed.
    let identity: Locked<String?>?

    /// Sends a request that fetches or renews credentials with the agent of the dispatch, like
    /// ``RequestAgent/send(_:)``.
    ///
    /// The request needs ``Authentication/none``, because a request for the credentials of its own refresh
    /// would wait for itself. Do not capture the agent in an authenticator: both would keep each other alive.
    ///
    /// - Throws: ``RequestError``; `CancellationError` when the calling task was cancelled.
    @discardableResult
    public func send<R: Request>(_ request: R) async throws -> R.Response { try await sender.send(request) }

    /// Reports the identity behind the credentials, for schemes with different signatures of equal requests.
    ///
    /// A ``CoalescingPolicy`` compares requests as sent. An identified request is compared before signing,
    /// together with the identity. The identity must include the user and everything else the response
    /// depends on.
    public func identify(as identity: String) { self.identity?.withLock { $0 = identity } }

    /// The wall time of the agent's clock, for expiries.
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

/// The part of an agent that an authenticator needs.
protocol RequestSender: AnyObject, Sendable {
  var clock: AgentClock { get }
  func send<R: Request>(_ request: R) async throws -> R.Response
}
