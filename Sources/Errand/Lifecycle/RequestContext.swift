import Foundation

/// What a hook, a validator, a serializer and an accessory are told besides their subject.
public struct RequestContext: Sendable {
  /// What is the same in all contexts of an agent.
  final class Tools: Sendable {
    let jsonCoding: JSONCoding
    /// Of the coding, made once.
    let jsonReader: JSONReader
    /// The agent's, hiding the secrets that its hooks store and its parameters have too.
    let redaction: Redaction
    /// Guards what its dispatches have sent.
    ///
    /// It has a value, as Thread Sanitizer takes a change of nothing for one of the object it stands in.
    let lock = Locked(false)

    init(_ configuration: RequestAgent.Configuration, hooks: [any RequestHooks] = []) {
      jsonCoding = configuration.jsonCoding
      jsonReader = JSONReader(configuration.jsonCoding)
      let redaction = configuration.redaction
      self.redaction =
        redaction.hidesNothing
        ? redaction
        : redaction.hiding(secrets: SecretFinder.secrets(in: hooks + [configuration.parameters] as [Any]))
    }
  }

  let dispatched: Dispatched

  /// The number of this attempt, from 1; 0 before the first.
  public internal(set) var attempt: Int

  /// Whether a redirect of this attempt has led to another scheme, host or port, even if a later one led back; or a URL in
  /// the path, or a custom request, goes from the start to one that is none of ``RequestAgent/Configuration/trustedOrigins``.
  ///
  /// A `filterRequest` hook that adds credentials asks this first: what it adds is sent, wherever the hop goes.
  public internal(set) var hasLeftOrigin = false

  /// The number of this dispatch, unique in its agent and the same over all attempts.
  public var id: UInt64 { dispatched.id }
  /// The request as the caller wrote it; one made with ``Request/with(_:_:)`` is shown without its overrides.
  public var request: any Request {
    (dispatched.request as? any RequestWrapper)?.wrapped ?? dispatched.request
  }
  /// The request's ``Request/tag``.
  public var tag: Int { dispatched.tag }
  /// The request's ``Request/userInfo``.
  public var userInfo: [String: any Sendable] { dispatched.userInfo }
  /// The request's ``Request/comment``.
  public var comment: String? { dispatched.comment }
  /// How JSON is read and written: by the request's ``Request/jsonDecoder`` and ``Request/jsonEncoder``, else by its
  /// ``Request/jsonCoding``, else by the agent's.
  ///
  /// A serializer of your own decodes with it, so that the depth of a body is judged first:
  /// `try context.jsonCoding.decode(Page.self, from: response.body)`.
  public var jsonCoding: JSONCoding { JSONCoding(of: dispatched.request, agent: dispatched.tools.jsonCoding) }
  /// Hides secrets in whatever you print: the agent's, with the values of this dispatch as ``Redaction`` says.
  ///
  /// It is put together when it is asked for; ask once for each event.
  public var redaction: Redaction { dispatched.redaction }
}

/// A request around another one.
protocol RequestWrapper: Request {
  /// The innermost request.
  var wrapped: any Request { get }
  /// Whether a call has changed the member.
  func overrides<Value>(_ member: KeyPath<RequestOverrides, Value?>) -> Bool
}
