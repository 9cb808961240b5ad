import ErrandJSON
public import Foundation

/// What a hook, a validator, a serializer and an accessory are told besides their subject.
public struct RequestContext: Sendable {
  /// What is the same in all contexts of an agent.
  final class Tools: Sendable {
    let jsonCoding: JSONCoding
    /// Of the coding, made once.
    let jsonReader: JSONReader
    /// The agent's, hiding the secrets that its hooks store and its parameters have too.
    let redaction: Redaction
    let clock: AgentClock
    /// Run around each attempt, the first outermost; the agent's hooks that are such.
    let scopes: [any AttemptScope]
    /// Guards what its dispatches have sent.
    ///
    /// It has a value, as Thread Sanitizer takes a change of nothing for one of the object it stands in.
    let lock = Locked(false)

    /// - Parameter secretive: values that may store secrets, besides the hooks.
    init(
      jsonCoding: JSONCoding = JSONCoding(), redaction: Redaction = .standard,
      clock: AgentClock = .continuous, hooks: [any RequestHooks] = [], secretive: [Any] = []
    ) {
      self.clock = clock
      scopes = hooks.compactMap { $0 as? any AttemptScope }
      self.jsonCoding = jsonCoding
      jsonReader = jsonCoding.reader
      self.redaction =
        redaction.hidesNothing
        ? redaction : redaction.hiding(secrets: SecretFinder.secrets(in: hooks as [Any] + secretive))
    }
  }

  let dispatched: Dispatched
  /// The identity of the dispatch, the same in the contexts of all attempts.
  package var dispatchIdentity: ObjectIdentifier { ObjectIdentifier(dispatched) }
  /// The header fields of the request, overrides included.
  package var requestHeaders: HTTPHeaders { dispatched.request.headers }
  /// The bytes of the bodies in memory that the dispatch keeps.
  package var keptSize: Int { dispatched.keptSize }

  /// The number of this attempt, from 1; 0 before the first.
  public internal(set) var attempt: Int

  /// Whether a redirect of this attempt has led to another scheme, host or port, a trusted one too, even if a later one led
  /// back; or a URL in the path, or a custom request, goes from the start to one that is neither that of a base nor one of
  /// ``AgentConfiguration/trustedOrigins``.
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
  /// The wall time, by the agent's clock.
  public var date: Date { dispatched.tools.clock.date }
  /// Hides secrets in whatever you print: the agent's, with the values of this dispatch as ``Redaction`` says.
  ///
  /// It is put together when it is asked for; ask once for each event.
  public var redaction: Redaction { dispatched.redaction }

  /// What stays the same over the attempts; one allocation a dispatch.
  final class Dispatched: Redacting {
    private static let earlierLimit = 32
    private static let forgottenLimit = 1_024

    let id: UInt64
    let request: any Request
    let tag: Int
    let userInfo: [String: any Sendable]
    let comment: String?
    let tools: Tools
    /// Fires when the dispatch is cancelled; `nil` for a context of no dispatch that runs.
    let cancellation: CancellationSignal?

    // Guard of the six: the lock of `tools`, one for all dispatches of the agent, as one of its own is an allocation.
    /// The last request that was sent.
    nonisolated(unsafe) private var last: HTTPRequest?
    /// The requests before it: of earlier attempts, and redirected ones.
    nonisolated(unsafe) private var earlier: [HTTPRequest] = []
    /// What those before them have sent under the names of secrets: a dispatch may send very many.
    nonisolated(unsafe) private var forgotten: Set<HiddenValue> = []
    /// How often what it knows has changed, so that a redaction of before is not kept.
    nonisolated(unsafe) private var changes = 0
    /// The redaction, where it was asked for since the last request.
    nonisolated(unsafe) private var known: Redaction?
    /// The redirects that were followed since accessories were told of a sending or of the end of an attempt.
    nonisolated(unsafe) private var hops: [AttemptReport.Redirect] = []

    init(id: UInt64, request: some Request, tools: Tools, cancellation: CancellationSignal? = nil) {
      self.id = id
      self.cancellation = cancellation
      self.request = request
      tag = request.tag
      userInfo = request.userInfo
      comment = request.comment
      self.tools = tools
    }

    /// Remembers a request for the credentials in it, without its link, which leads back here, and without a body that is not in
    /// memory or trailers that are computed, which may hold anything.
    func note(_ request: HTTPRequest) {
      var request = request
      request.link = RedactionSource()
      if request.body.data == nil { Self.keepFields(of: &request) }
      if request.trailers.isComputed { request.trailers = .none }
      // Released after the lock: the bytes of a body may run code of their owner's then.
      let oldest = tools.lock.withLock { _ -> HTTPRequest? in
        let oldest = earlier.count == Self.earlierLimit ? earlier.removeFirst() : nil
        if let last { earlier.append(last) }
        last = request
        changes += 1
        known = nil
        return oldest
      }
      if let oldest { keepValues(of: oldest) }
    }

    /// Keeps of a request what was sent under the names of secrets, as far as there is room.
    private func keepValues(of request: HTTPRequest) {
      guard !tools.redaction.hidesNothing else { return }
      let values = CredentialFinder.values(in: request, by: tools.redaction)
      tools.lock.withLock { _ in
        guard forgotten.count + values.count <= Self.forgottenLimit else { return }
        forgotten.formUnion(values)
        changes += 1
        known = nil
      }
    }

    /// The redirects that no accessory has been told of.
    var untoldHops: [AttemptReport.Redirect] { tools.lock.withLock { _ in hops } }

    func note(_ hop: AttemptReport.Redirect) { tools.lock.withLock { _ in hops.append(hop) } }

    /// Accessories have been told.
    func forgetHops() {
      // Released after the lock.
      _ = tools.lock.withLock { _ in
        defer { hops = [] }
        return hops
      }
    }

    /// The method and the URL of the last request.
    var line: (method: HTTPMethod, url: URL)? {
      tools.lock.withLock { _ in last.map { ($0.method, $0.url) } }
    }

    /// The bytes of the bodies in memory that it keeps.
    var keptSize: Int {
      tools.lock.withLock { _ in earlier.reduce(last?.body.memorySize ?? 0) { $0 + $1.body.memorySize } }
    }

    /// Of a form of parts the fields, as a form without files has them.
    private static func keepFields(of request: inout HTTPRequest) {
      let fields = request.body.fields
      request.body = .none
      guard !fields.isEmpty else { return }
      let pairs = fields.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
      let type = "application/x-www-form-urlencoded"
      request.body = .text(pairs.joined(separator: "&"), contentType: type)
      request.headers["Content-Type"] = type
    }

    /// The type of the request as it was written; of one without a type of its own the method and the path.
    var endpoint: String? {
      let written = (request as? any RequestWrapper)?.wrapped ?? request
      return written is any RequestOfParts ? redaction.hidingValues("\(written)") : "\(type(of: written))"
    }

    /// The agent's, hiding the secrets of the request too, and what was sent under the names of secrets.
    ///
    /// Made when it is asked for: printing is slow anyway, and most dispatches print nothing.
    var redaction: Redaction {
      guard !tools.redaction.hidesNothing else { return tools.redaction }
      let (known, changes, requests, forgotten) = tools.lock.withLock { _ in
        (self.known, self.changes, last.map { earlier + [$0] } ?? [], self.forgotten)
      }
      if let known { return known }
      var values = forgotten
      for request in requests { values.formUnion(CredentialFinder.values(in: request, by: tools.redaction)) }
      let redaction = tools.redaction.hidingSecrets(of: request).hiding(values: values)
      tools.lock.withLock { _ in
        if self.changes == changes { self.known = redaction }
      }
      return redaction
    }

    /// What decodes its JSON: read when it is needed, as most dispatches have none of their own.
    var jsonReader: JSONReader {
      let own = request.jsonCoding
      if let decoder = request.jsonDecoder {
        return JSONCoding.reader(by: decoder, dropsNulls: (own ?? tools.jsonCoding).dropsNulls)
      }
      return own?.reader ?? tools.jsonReader
    }

    /// What is kept from other origins: what ``redaction`` hides, and also where nothing is hidden, as what an agent prints does
    /// not change what it sends.
    var confidential: Redaction {
      tools.redaction.hidesNothing ? .standard.hidingSecrets(of: request) : redaction
    }
  }
}

/// A request around another one.
protocol RequestWrapper: Request {
  /// The innermost request.
  var wrapped: any Request { get }
  /// Names of header fields that are secret in this exchange.
  var hiddenHeaders: [String] { get }
  /// Whether a call has changed the member.
  func overrides<Value>(_ member: KeyPath<RequestOverrides, Value?>) -> Bool
}

extension RequestContext: PrintedByDescription {
  /// `dispatch 7, attempt 2`; never the request, nor what it carries along.
  public var description: String { "dispatch \(id), attempt \(attempt)" }
  /// Shows `dump` the numbers only.
  public var customMirror: Mirror { Mirror(self, children: ["id": id, "attempt": attempt]) }
}

extension HTTPRequest {
  /// How the dispatch that sends it reads and writes JSON; `nil` before it was built.
  package var jsonCoding: JSONCoding? {
    let dispatched = link.dispatched as? RequestContext.Dispatched
    return dispatched.map { JSONCoding(of: $0.request, agent: $0.tools.jsonCoding) }
  }
}

extension JSONCoding {
  /// How a request is read and written: by its own coding, else the agent's, and by coders of its own before both.
  package init(of request: some Request, agent: JSONCoding = JSONCoding()) {
    self = (request.jsonCoding ?? agent).using(decoder: request.jsonDecoder, encoder: request.jsonEncoder)
  }
}

extension RequestError {
  /// Makes it an error of the dispatch, printed by the agent's redaction.
  mutating func belong(to dispatched: RequestContext.Dispatched) {
    redaction = dispatched.tools.redaction
    link.dispatched = dispatched
    isOfDispatch = true
  }
}
