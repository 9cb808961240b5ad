import ErrandJSON
public import Foundation

/// The dispatch and the attempt for which a hook, a validator, a serializer or an accessory is called.
public struct RequestContext: Sendable {
  /// The values common to all contexts of an agent.
  final class Tools: Sendable {
    let jsonCoding: JSONCoding
    let jsonReader: JSONReader
    /// The agent's redaction, with the secrets in the agent's hooks and parameters.
    let redaction: Redaction
    let clock: AgentClock
    /// The attempt scopes among the agent's hooks, the outermost first.
    let scopes: [any AttemptScope]
    /// Guards the mutable state of each ``Dispatched`` of the agent.
    ///
    /// The lock has a value, because Thread Sanitizer confuses an empty value with the surrounding object.
    let lock = Locked(false)

    /// - Parameter parameters: The parameters of the agent.
    init(
      jsonCoding: JSONCoding = JSONCoding(), redaction: Redaction = .standard,
      clock: AgentClock = .continuous, hooks: [any RequestHooks] = [], parameters: Parameters = [:]
    ) {
      self.clock = clock
      scopes = hooks.compactMap { $0 as? any AttemptScope }
      self.jsonCoding = jsonCoding
      jsonReader = jsonCoding.reader
      self.redaction =
        redaction.hidesNothing
        ? redaction : redaction.hiding(secrets: SecretFinder.secrets(in: hooks as [Any], and: parameters))
    }
  }

  let dispatched: Dispatched
  /// The identity of the dispatch, equal in the contexts of all attempts.
  package var dispatchIdentity: ObjectIdentifier { ObjectIdentifier(dispatched) }
  package var requestHeaders: HTTPHeaders { dispatched.request.headers }
  /// The number of bytes in memory of the request bodies kept by the dispatch.
  package var keptSize: Int { dispatched.keptSize }

  /// The number of this attempt, from 1; 0 before the first attempt.
  public internal(set) var attempt: Int

  /// True if the request goes to an untrusted origin, or a redirect of this attempt led to another origin.
  ///
  /// An origin (scheme, host and port) is untrusted unless a base URL, a CDN URL or
  /// ``AgentConfiguration/trustedOrigins`` names the origin. An earlier `filterRequest` hook may have set the
  /// URL. A redirect of this attempt to another origin counts, even to a trusted origin. A later redirect
  /// back to the first origin does not reset the value. After an attempt, such as in
  /// ``Request/retryDecision(for:suggested:context:)`` and in `completed`, the value is that of the last attempt.
  ///
  /// A `filterRequest` hook must check the property before adding credentials, because the agent sends added
  /// fields to any destination.
  public internal(set) var hasLeftOrigin = false

  /// The number of this dispatch: unique within the agent, and equal in all attempts.
  public var id: UInt64 { dispatched.id }
  /// The request as written by the caller, without the overrides of ``Request/with(_:_:)``.
  public var request: any Request {
    (dispatched.request as? any RequestWrapper)?.wrapped ?? dispatched.request
  }
  /// The request's ``Request/tag``.
  public var tag: Int { dispatched.tag }
  /// The request's ``Request/userInfo``.
  public var userInfo: [String: any Sendable] { dispatched.userInfo }
  /// The request's ``Request/comment``.
  public var comment: String? { dispatched.comment }
  /// The JSON coding of the dispatch.
  ///
  /// Made of the request's ``Request/jsonDecoder``, ``Request/jsonEncoder`` and ``Request/jsonCoding``, and
  /// of the agent's coding. Use the coding in your own serializers:
  /// `try context.jsonCoding.decode(Page.self, from: response.body)`.
  public var jsonCoding: JSONCoding { JSONCoding(of: dispatched.request, agent: dispatched.tools.jsonCoding) }
  /// The wall time of the agent's clock.
  public var date: Date { dispatched.tools.clock.date }
  /// The agent's redaction with the secret values of this dispatch, for everything you print.
  ///
  /// ``Redaction/none`` stays unchanged. Each read may compute a new redaction, so read the property once for
  /// each event.
  public var redaction: Redaction { dispatched.redaction }

  /// The values common to all attempts of a dispatch.
  final class Dispatched: Redacting {
    private static let earlierLimit = 32
    private static let keptSecretLimit = 1_024

    let id: UInt64
    let request: any Request
    let tag: Int
    let userInfo: [String: any Sendable]
    let comment: String?
    let tools: Tools
    /// `nil` for a context without a running dispatch.
    let cancellation: CancellationSignal?

    // The lock of `tools` guards the next six properties.

    /// The last recorded request, perhaps unsent.
    nonisolated(unsafe) private var lastRequest: HTTPRequest?
    /// Earlier recorded requests, also of earlier attempts and before redirects.
    nonisolated(unsafe) private var earlierRequests: [HTTPRequest] = []
    /// Secret values of requests removed from `earlierRequests`, and of bodies that hooks have set.
    ///
    /// At most 1,024 values.
    nonisolated(unsafe) private var keptSecrets: Set<HiddenValue> = []
    /// The number of changes to the three properties above; detects a redaction computed from an outdated
    /// state.
    nonisolated(unsafe) private var changes = 0
    /// Reset when a request is recorded.
    nonisolated(unsafe) private var cachedRedaction: Redaction?
    /// The followed redirects not yet reported to the accessories.
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

    /// Records a request, to hide its credentials in printed text.
    ///
    /// The copy has an empty `link`, because `link` retains this object, and a cycle would leak. The copy has
    /// no body source and no computed trailers, because both may retain any object.
    func note(_ request: HTTPRequest) {
      noteSecrets(of: request.body)
      // `other` is the new request, and after the swap the previous request. A swap copies no request.
      var other = Optional(request)
      other?.detach()
      // The oldest request is released after unlocking, because releasing its body may run user code.
      let oldest = tools.lock.withLock { _ -> HTTPRequest? in
        var oldest: HTTPRequest?
        swap(&lastRequest, &other)
        if let earlier = other.take() {
          if earlierRequests.count == Self.earlierLimit { oldest = earlierRequests.removeFirst() }
          earlierRequests.append(earlier)
        }
        changes += 1
        cachedRedaction = nil
        return oldest
      }
      if let oldest { keepValues(of: oldest) }
    }

    /// Records the secrets of a body that is not encoded yet, because encoding loses the type of a ``Secret``.
    ///
    /// A body of the request itself needs no record, but a hook may set a body of its own.
    func noteSecrets(of body: RequestBody) {
      guard body.data == nil, !body.isEmpty, !tools.redaction.hidesNothing else { return }
      keep(Set(SecretFinder.secrets(in: [body]).compactMap { HiddenValue($0) }))
    }

    private func keepValues(of request: HTTPRequest) {
      guard !tools.redaction.hidesNothing else { return }
      keep(CredentialFinder.values(in: request, by: tools.redaction))
    }

    private func keep(_ values: Set<HiddenValue>) {
      if values.isEmpty { return }
      tools.lock.withLock { _ in
        let news = values.subtracting(keptSecrets).prefix(Self.keptSecretLimit - keptSecrets.count)
        guard !news.isEmpty else { return }
        keptSecrets.formUnion(news)
        changes += 1
        cachedRedaction = nil
      }
    }

    var unreportedRedirects: [AttemptReport.Redirect] { tools.lock.withLock { _ in hops } }

    func note(_ hop: AttemptReport.Redirect) { tools.lock.withLock { _ in hops.append(hop) } }

    func forgetHops() {
      // The redirects are released after unlocking.
      _ = tools.lock.withLock { _ in
        defer { hops = [] }
        return hops
      }
    }

    var lastRequestLine: (method: HTTPMethod, url: URL)? {
      tools.lock.withLock { _ in lastRequest.map { ($0.method, $0.url) } }
    }

    var keptSize: Int {
      tools.lock.withLock { _ in
        earlierRequests.reduce(lastRequest?.body.memorySize ?? 0) { $0 + $1.body.memorySize }
      }
    }

    /// The type of the request as written; for a one-off request, the method and the path.
    var endpoint: String? {
      let written = (request as? any RequestWrapper)?.wrapped ?? request
      return written is any RequestOfParts ? redaction.hidingValues("\(written)") : "\(type(of: written))"
    }

    var redaction: Redaction {
      guard !tools.redaction.hidesNothing else { return tools.redaction }
      let (cachedRedaction, changes, kept, requests) = tools.lock.withLock { _ in
        (self.cachedRedaction, self.changes, keptSecrets, recordedRequests)
      }
      if let cachedRedaction { return cachedRedaction }
      let learned = kept.union(Self.credentials(of: requests, by: tools.redaction))
      let redaction = tools.redaction.hidingSecrets(of: request).hiding(values: learned)
      tools.lock.withLock { _ in
        if self.changes == changes { self.cachedRedaction = redaction }
      }
      return redaction
    }

    /// The recorded requests; read under the lock.
    private var recordedRequests: [HTTPRequest] { lastRequest.map { earlierRequests + [$0] } ?? [] }

    private static func credentials(of requests: [HTTPRequest], by rules: Redaction) -> Set<HiddenValue> {
      requests.reduce(into: []) { $0.formUnion(CredentialFinder.values(in: $1, by: rules)) }
    }

    var jsonReader: JSONReader {
      let own = request.jsonCoding
      if let decoder = request.jsonDecoder {
        return JSONCoding.reader(by: decoder, dropsNulls: (own ?? tools.jsonCoding).dropsNulls)
      }
      return own?.reader ?? tools.jsonReader
    }

    /// The redaction that decides which fields another origin may receive.
    ///
    /// The rules of ``Redaction/standard`` always apply in addition to the agent's redaction, because a rule
    /// for printing must not send secrets to another origin.
    var confidential: Redaction {
      guard !tools.redaction.hidesSecretNames else { return redaction }
      let rules = tools.redaction.withStandardNames
      let known = redaction.values?.values ?? []
      let requests = tools.lock.withLock { _ in recordedRequests }
      return rules.hidingSecrets(of: request).hiding(
        values: known.union(Self.credentials(of: requests, by: rules)))
    }
  }
}

protocol RequestWrapper: Request {
  /// The innermost request.
  var wrapped: any Request { get }
  /// Names of header fields that are secret in this exchange.
  var hiddenHeaders: [String] { get }
  /// Returns true if this wrapper or an inner wrapper overrides the member.
  func overrides<Value>(_ member: KeyPath<RequestOverrides, Value?>) -> Bool
}

extension RequestContext: PrintedByDescription {
  /// `dispatch 7, attempt 2`, without the request.
  public var description: String { "dispatch \(id), attempt \(attempt)" }
  /// A mirror with the numbers only, for `dump`.
  public var customMirror: Mirror { Mirror(self, children: ["id": id, "attempt": attempt]) }
}

extension HTTPRequest {
  /// `nil` for a request without a dispatch.
  package var jsonCoding: JSONCoding? {
    let dispatched = link.dispatched as? RequestContext.Dispatched
    return dispatched.map { JSONCoding(of: $0.request, agent: $0.tools.jsonCoding) }
  }
}

extension JSONCoding {
  package init(of request: some Request, agent: JSONCoding = JSONCoding()) {
    self = (request.jsonCoding ?? agent).using(decoder: request.jsonDecoder, encoder: request.jsonEncoder)
  }
}

extension RequestError {
  /// Ties the error to a dispatch, so that the agent's redaction applies to the printed error.
  mutating func belong(to dispatched: RequestContext.Dispatched) {
    redaction = dispatched.tools.redaction
    link.dispatched = dispatched
    isOfDispatch = true
  }
}

extension HTTPRequest {
  /// Removes what may retain other objects: the link, a body source, and computed trailers.
  fileprivate mutating func detach() {
    link = RedactionSource()
    if let plain = body.provider?.uncompressed { body = plain }
    if body.data == nil, !body.isEmpty { keepFields() }
    if trailers.isComputed { trailers = .none }
  }

  /// Replaces a multipart form by the form's text fields, and removes other bodies outside of memory.
  private mutating func keepFields() {
    let fields = body.fields
    body = .none
    guard !fields.isEmpty else { return }
    let pairs = fields.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
    let type = "application/x-www-form-urlencoded"
    body = .text(pairs.joined(separator: "&"), contentType: type)
    headers["Content-Type"] = type
  }
}
