import ErrandJSON
public import Foundation

/// The dispatch and the attempt for which Errand calls a hook, an accessory, a validator or a serializer.
public struct RequestContext: Sendable {
  final class Tools: Sendable {
    let jsonCoding: JSONCoding
    let jsonReader: JSONReader
    let redaction: Redaction
    let clock: AgentClock
    let scopes: [any AttemptScope]
    let responders: [any ResponderHook]
    /// Guards the mutable state of each ``Dispatched`` of the agent.
    ///
    /// The value is a `Bool`, because with an empty value Thread Sanitizer reports false races.
    let lock = Locked(false)

    init(
      jsonCoding: JSONCoding = JSONCoding(), redaction: Redaction = .standard,
      clock: AgentClock = .continuous, hooks: [any RequestHooks] = [], parameters: Parameters = [:]
    ) {
      self.clock = clock
      scopes = hooks.compactMap { $0 as? any AttemptScope }
      responders = hooks.compactMap { $0 as? any ResponderHook }
      self.jsonCoding = jsonCoding
      jsonReader = jsonCoding.reader
      self.redaction =
        redaction.hidesNothing
        ? redaction : redaction.hiding(secrets: SecretFinder.secrets(in: hooks as [Any], and: parameters))
    }
  }

  let dispatched: Dispatched
  package var dispatchIdentity: ObjectIdentifier { ObjectIdentifier(dispatched) }
  package var requestHeaders: HTTPHeaders { dispatched.request.headers }
  /// Returns the value that ``setValue(_:for:)`` has set for the key; `nil` without a value, and after the
  /// dispatch.
  package func value(for key: ObjectIdentifier) -> (any Sendable)? { dispatched.value(for: key) }
  /// The time of the agent's clock.
  package var now: Duration { dispatched.tools.clock.now() }
  /// Sets a value of the dispatch, for all contexts of the dispatch; has no effect after the dispatch.
  package func setValue(_ value: any Sendable, for key: ObjectIdentifier) {
    dispatched.setValue(value, for: key)
  }
  /// The number of bytes of the recorded request bodies in memory.
  package var keptSize: Int { dispatched.keptSize }

  /// The number of the attempt, from 1; 0 if no attempt has started.
  public internal(set) var attempt: Int

  /// True after a redirect of the attempt to another origin, or for a request to an untrusted origin.
  ///
  /// The trusted origins are ``AgentConfiguration/trustedOrigins``, and the origins of the base URLs and CDN
  /// URLs of the agent and the request. A request's CDN URL counts only with `usesCDN`.
  ///
  /// A `filterRequest` hook must check the property before adding credentials.
  public internal(set) var hasLeftOrigin = false

  /// The number of the dispatch, unique within the agent.
  public var id: UInt64 { dispatched.id }
  /// The request, without overrides.
  public var request: any Request {
    (dispatched.request as? any RequestWrapper)?.wrapped ?? dispatched.request
  }
  /// The request's ``Request/tag``.
  public var tag: Int { dispatched.tag }
  /// The request's ``Request/userInfo``.
  public var userInfo: [String: any Sendable] { dispatched.userInfo }
  /// The request's ``Request/comment``.
  public var comment: String? { dispatched.comment }
  /// The JSON coding of the dispatch, for your own serializers.
  public var jsonCoding: JSONCoding { JSONCoding(of: dispatched.request, agent: dispatched.tools.jsonCoding) }
  /// The wall time of the agent's clock.
  public var date: Date { dispatched.tools.clock.date }
  /// The agent's redaction, with the secrets of the dispatch.
  ///
  /// ``Redaction/none`` stays unchanged. Read the property once for each event, because a read may compute a
  /// new redaction.
  public var redaction: Redaction { dispatched.redaction }

  final class Dispatched: Redacting {
    private static let earlierLimit = 32
    private static let keptSecretLimit = 1_024

    let id: UInt64
    let request: any Request
    let tag: Int
    let userInfo: [String: any Sendable]
    let comment: String?
    let tools: Tools
    let cancellation: CancellationSignal?

    // The lock of `tools` guards the eight mutable properties below.

    @exclusivity(unchecked) nonisolated(unsafe) private var lastRequest: HTTPRequest?
    @exclusivity(unchecked) nonisolated(unsafe) private var earlierRequests: [HTTPRequest] = []
    /// Secrets of requests dropped from `earlierRequests`, and of bodies recorded before encoding.
    @exclusivity(unchecked) nonisolated(unsafe) private var keptSecrets: Set<HiddenValue> = []
    /// Counts changes of the properties above, to detect an outdated redaction.
    @exclusivity(unchecked) nonisolated(unsafe) private var changes = 0
    /// `nil` after each change of the recorded requests and secrets.
    @exclusivity(unchecked) nonisolated(unsafe) private var cachedRedaction: Redaction?
    @exclusivity(unchecked) nonisolated(unsafe) private var hops: [AttemptReport.Redirect] = []
    /// The values of ``RequestContext/setValue(_:for:)``; `nil`: none.
    @exclusivity(unchecked) nonisolated(unsafe) private var values: [ObjectIdentifier: any Sendable]?
    /// True after ``end()``.
    @exclusivity(unchecked) nonisolated(unsafe) private var isEnded = false

    init(id: UInt64, request: some Request, tools: Tools, cancellation: CancellationSignal? = nil) {
      self.id = id
      self.cancellation = cancellation
      self.request = request
      tag = request.tag
      userInfo = request.userInfo
      comment = request.comment
      self.tools = tools
    }

    /// Records a copy of a request without the link to this object, because the link would be a retain cycle.
    func note(_ request: HTTPRequest) {
      noteSecrets(of: request.body)
      // After the swap, `other` is the previous request.
      var other = Optional(request)
      other?.detach()
      // The oldest request is released after unlocking, because the release may run user code.
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

    /// Keeps the secrets of a body that is not encoded yet, because encoding loses the type ``Secret``.
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
      // The redirects are released after unlocking, because the release may run user code.
      _ = tools.lock.withLock { _ in
        defer { hops = [] }
        return hops
      }
    }

    func value(for key: ObjectIdentifier) -> (any Sendable)? { tools.lock.withLock { _ in values?[key] } }

    func setValue(_ value: any Sendable, for key: ObjectIdentifier) {
      // Released after unlocking, because the release of a value may run user code.
      _ = tools.lock.withLock { _ -> [ObjectIdentifier: any Sendable]? in
        defer { if !isEnded { values = (values ?? [:]).merging([key: value]) { $1 } } }
        return values
      }
    }

    /// Removes the values, because a value may retain this object.
    @inline(never)
    func end() {
      // Released after unlocking, because the release of a value may run user code.
      _ = tools.lock.withLock { _ -> [ObjectIdentifier: any Sendable]? in
        isEnded = true
        return values.take()
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

    /// The caller must hold the lock.
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
    /// Another origin must not receive secret values, even if the agent's redaction prints the values.
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
  var wrapped: any Request { get }
  var hiddenHeaders: [String] { get }
  /// Returns true if the wrapper, or an inner wrapper, overrides the member.
  func overrides<Value>(_ member: KeyPath<RequestOverrides, Value?>) -> Bool
}

extension RequestContext: PrintedByDescription {
  /// The numbers, such as `dispatch 7, attempt 2`.
  public var description: String { "dispatch \(id), attempt \(attempt)" }
  /// A mirror with the numbers.
  public var customMirror: Mirror { Mirror(self, children: ["id": id, "attempt": attempt]) }
}

extension HTTPRequest {
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
  mutating func belong(to dispatched: RequestContext.Dispatched) {
    redaction = dispatched.tools.redaction
    link.dispatched = dispatched
    isOfDispatch = true
  }
}

extension HTTPRequest {
  /// Removes parts that may retain other objects.
  fileprivate mutating func detach() {
    link = RedactionSource()
    if let plain = body.provider?.uncompressed { body = plain }
    if body.data == nil, !body.isEmpty { keepFields() }
    if trailers.isComputed { trailers = .none }
  }

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
