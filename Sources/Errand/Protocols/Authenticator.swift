public import Foundation

/// Puts credentials on requests: the last to change one, right before the wire.
///
/// An agent's is in its configuration, ``AgentConfiguration/authenticator``; a request may have its own, or
/// none, by ``Request/authentication``. Ready-made are ``BearerAuthenticator``, ``BasicAuthenticator`` and
/// ``APIKeyAuthenticator``.
///
/// ## Choose between an authenticator and a hook
///
/// Both may change a request. A hook of `filterRequest` runs before; an authenticator sees the final method, URL,
/// headers and body, so that a signature covers what is sent. It runs anew for each attempt and each redirect within
/// the origin, and is left out once another origin was reached. After a refusal it may renew its credentials, once for
/// all requests that wait.
///
/// ## Implement an authenticator
///
/// Change the request in ``authenticate(_:context:)``. Credentials that expire belong into a ``CredentialStore``, which
/// renews them for all who wait. A type that holds secrets hides them from `print` and `dump`.
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
  /// Puts credentials on a request that is complete: hooks have run, and nothing changes it afterwards.
  ///
  /// Called off the main actor, for each attempt and for each redirect within the origin. What it writes is checked
  /// like any other request. It is awaited, so whatever waits in it heeds ``Authentication/Context/cancellation``. A throw
  /// ends the dispatch with ``RequestError/Kind/authentication`` at the stage ``Stage/authenticate``: nothing is sent,
  /// and nothing is tried again.
  func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws

  /// Looks at the head of a response to a request that carried its credentials, and says whether the response refuses them.
  ///
  /// Called off the main actor, before any validator, for each such response whatever its status: a scheme may learn from a success too, as
  /// `Digest` does from `Authentication-Info` (RFC 7616 section 3.5). Of the body nothing is read yet; a refusal that only the body tells is a
  /// validator's to find. `true` asks ``renew(after:context:)`` about the response with the first ``RequestError/bodyLimit`` bytes of the body, unless the dispatch has
  /// had its rounds, or the request's body can be produced only once. Where `renew` has no other credentials the response goes on to the validators. Status 401 by default (RFC 9110
  /// section 11.4).
  func isRefusal(_ head: HTTPResponse, context: Authentication.Context) async -> Bool

  /// Judges the failure of an attempt that carried its credentials; `true` asks for one more attempt, with others.
  ///
  /// Called for a response that ``isRefusal(_:context:)`` names, and for each other failure, whichever stage gave it, until it has asked for as many attempts as
  /// ``maximumRounds`` allows: a dispatch gets them in this way, at once, whatever its ``RetryPolicy``. Here refused
  /// credentials are renewed, and challenges read. A throw ends the dispatch with
  /// ``RequestError/Kind/authentication``. `false` by default.
  func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool

  /// How many attempts ``renew(after:context:)`` may ask for in one dispatch; one by default.
  ///
  /// For a scheme whose server answers with another challenge before it is content. Each round sees the failure of the
  /// attempt before it, with the newest challenge, and ``Authentication/Context/round`` counts them. Below one counts as
  /// one, and beyond three as three: who was refused three times will be refused again. The last refusal is the
  /// failure then, and has its challenges in ``RequestError/challenges``.
  var maximumRounds: Int { get }

  /// A redaction that hides what it writes too, where the names do not tell: by names or by values.
  ///
  /// Asked of an agent's authenticator when the agent is made, and of a request's own for each print. The same redaction by
  /// default. What it writes under the name of a secret is hidden anyway, also where a server echoes it.
  func hidingSecrets(in redaction: Redaction) -> Redaction
}

extension Authenticator {
  /// Whether the status is 401.
  public func isRefusal(_ head: HTTPResponse, context: Authentication.Context) async -> Bool {
    head.status == 401
  }
  /// `false`: the failure stands.
  public func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool {
    false
  }
  /// One.
  public var maximumRounds: Int { 1 }
  /// The same redaction.
  public func hidingSecrets(in redaction: Redaction) -> Redaction { redaction }
}

extension Authentication {
  /// What an ``Authenticator`` is told besides the request, and what it may use.
  public struct Context: Sendable {
    /// What hooks are told of the dispatch.
    ///
    /// In a refresh it is that of the dispatch that began it, for all who wait.
    public let dispatch: RequestContext
    /// The agent of the dispatch.
    let sender: any RequestSender
    /// Fires when the dispatch is cancelled or out of time: whatever waits leaves then.
    ///
    /// In a refresh it fires when the refresh takes too long; no single dispatch ends it.
    public internal(set) var cancellation: CancellationSignal
    /// Whether the request is only explained, by ``RequestAgent/explain(_:)``: nothing is to be sent for it, and
    /// credentials that ought to be renewed are shown as they are.
    public let isExplanation: Bool
    /// How many attempts the authenticator has asked for in this dispatch already: 0 before the first.
    ///
    /// What a later round needs of an earlier one is kept by the ``RequestContext/id`` of ``dispatch``, as one
    /// authenticator serves many at once. In a refresh it is that of the dispatch that began it.
    public internal(set) var round = 0
    /// Where ``identify(as:)`` writes; `nil` where the identity is not needed.
    let identity: Locked<String?>?

    /// Sends what fetches or renews credentials by the agent of the dispatch, as ``RequestAgent/send(_:)`` does: a request with
    /// ``Authentication/none``, as one that waits for the credentials it renews would wait for itself.
    ///
    /// An authenticator that captured its agent would keep it alive, and be kept alive by it.
    ///
    /// - Throws: ``RequestError``; `CancellationError` when the calling task was cancelled.
    @discardableResult
    public func send<R: Request>(_ request: R) async throws -> R.Response { try await sender.send(request) }

    /// Tells whose credentials were put on the request, where signatures of equal requests differ.
    ///
    /// Requests that share a transfer, by ``CoalescingPolicy``, are compared as they are sent. One that was identified is
    /// compared as it was before it was signed, and by the identity instead. It must name the user and whatever else the
    /// answer depends on.
    public func identify(as identity: String) { self.identity?.withLock { $0 = identity } }

    /// The wall time by the agent's clock, for expiries.
    public var date: Date { sender.clock.date }
  }
}

extension Authentication.Context: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The same as that of the dispatch's context.
  public var description: String { dispatch.description }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the dispatch's numbers only.
  public var customMirror: Mirror { Mirror(self, children: ["dispatch": dispatch]) }
}

/// What an authenticator needs of an agent.
protocol RequestSender: AnyObject, Sendable {
  var clock: AgentClock { get }
  func send<R: Request>(_ request: R) async throws -> R.Response
}
