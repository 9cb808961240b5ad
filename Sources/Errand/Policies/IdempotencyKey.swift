/// A key by which the server knows a request again, so that it may be sent twice and is done once.
///
/// ```swift
/// var idempotencyKey: IdempotencyKey { .automatic }
/// ```
///
/// It is sent as `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), is the same in all attempts of a
/// dispatch and in redirects on the same origin, and makes methods retriable for a ``RetryPolicy`` that are not idempotent,
/// such as `POST`. Another dispatch has another key. Ask for one only where the server knows what it means.
public struct IdempotencyKey: Sendable, Hashable {
  enum Source: Sendable, Hashable {
    case none, automatic
    case value(String)
  }

  let source: Source
  let header: String
  let isQuoted: Bool

  @inline(__always)
  var isAsked: Bool { if case .none = source { false } else { true } }

  private init(_ source: Source, header: String = "Idempotency-Key", isQuoted: Bool = false) {
    self.source = source
    self.header = header
    self.isQuoted = isQuoted
  }

  /// No key.
  public static let none = IdempotencyKey(.none)

  /// A key of the agent's ``AgentConfiguration/makeIdempotencyKey``, a random UUID by default, for methods that are
  /// not idempotent (RFC 9110 section 9.2.2).
  ///
  /// A header of that name that the request has already is kept, and is the key.
  public static let automatic = IdempotencyKey(.automatic)

  /// That key, whatever the method: for an operation that outlives a dispatch, such as a payment that is tried again the
  /// next day.
  ///
  /// A header of that name that the request has already is kept, and is the key. An empty key is refused with
  /// ``RequestError/Kind/invalidRequest``.
  public static func value(_ key: String) -> IdempotencyKey { IdempotencyKey(.value(key)) }

  /// The same key written as a string of RFC 8941, in quotes, as the draft has it.
  ///
  /// Without it the key is sent bare, as nearly all servers expect it. A key with other characters than printable
  /// ASCII is then refused with ``RequestError/Kind/invalidRequest``.
  public var quoted: IdempotencyKey { IdempotencyKey(source, header: header, isQuoted: true) }

  /// The same key in another header, for servers that have their own, such as `PayPal-Request-Id`.
  public func named(_ header: String) -> IdempotencyKey {
    IdempotencyKey(source, header: header, isQuoted: isQuoted)
  }

  /// The value of the header.
  func text(of key: String) throws(Refusal) -> String {
    guard !key.isEmpty else { throw Refusal("the idempotency key is empty", kind: .invalidRequest) }
    guard isQuoted else { return key }
    guard key.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw Refusal("the idempotency key has a character that may not be quoted", kind: .invalidRequest)
    }
    let escaped = key.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
    return "\"\(String(escaped))\""
  }
}

/// The idempotency key of one dispatch: decided when it is first built, the same from then on.
///
/// Made only for a request that asks for a key.
final class KeptIdempotencyKey: Sendable {
  private let asked: IdempotencyKey
  private let make: @Sendable () -> String
  /// The value of the header; one task at a time builds, so that a look and a change are one step.
  private let kept = Locked<String?>(nil)

  init(_ asked: IdempotencyKey, make: @escaping @Sendable () -> String) {
    self.asked = asked
    self.make = make
  }

  /// Keeps the key of a dispatch; `nil` where the request asks for none.
  @inline(__always)
  static func kept(
    _ asked: IdempotencyKey, make: @autoclosure () -> @Sendable () -> String
  ) -> KeptIdempotencyKey? {
    // An initializer that fails would make the object before it does.
    asked.isAsked ? KeptIdempotencyKey(asked, make: make()) : nil
  }

  /// Puts the key on a request that was just built; one that the request has by itself is the key.
  ///
  /// Refuses what may stand in no header: the request was judged before.
  func add(to http: inout HTTPRequest) throws {
    let own = http.headers.values(for: asked.header).first
    guard let value = try kept.withLock({ $0 }) ?? own ?? made(for: http.method) else { return }
    kept.withLock { $0 = value }
    let judged = http.headers
    http.headers[asked.header] = value
    if let problem = http.headers.problem(besides: judged) {
      throw Refusal(problem, kind: .invalidRequest)
    }
  }

  /// Takes the key off a redirect that leads to another origin, or that asks for something else.
  func remove(from next: inout HTTPRequest, after sent: HTTPRequest) {
    if next.method != sent.method || !Origin.same(next.url, sent.url) { next.headers[asked.header] = nil }
  }

  /// Whether a request was sent with the key that every other attempt will have.
  func isCarried(by http: HTTPRequest) -> Bool {
    guard let value = kept.withLock({ $0 }) else { return false }
    return http.headers.values(for: asked.header) == [value]
  }

  private func made(for method: HTTPMethod) throws -> String? {
    switch asked.source {
    case .none: nil
    case .automatic: method.isIdempotent ? nil : try asked.text(of: make())
    case .value(let key): try asked.text(of: key)
    }
  }
}
