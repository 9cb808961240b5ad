/// A key by which a server recognizes a repeated request.
///
/// ```swift
/// var idempotencyKey: IdempotencyKey { .automatic }
/// ```
///
/// With a key, a ``RetryPolicy`` may also retry methods that are not idempotent, such as `POST`.
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

  /// A key from the agent's ``AgentConfiguration/makeIdempotencyKey``, a random UUID by default.
  ///
  /// No key is made for idempotent methods (RFC 9110 section 9.2.2).
  public static let automatic = IdempotencyKey(.automatic)

  /// A key of your own, for any method.
  ///
  /// An empty key fails with ``RequestError/Kind/invalidRequest``, unless the request already has the header.
  public static func value(_ key: String) -> IdempotencyKey { IdempotencyKey(.value(key)) }

  /// The key as a quoted string of RFC 8941, as the IETF draft of `Idempotency-Key` requires.
  ///
  /// Many servers expect the key without quotation marks.
  public var quoted: IdempotencyKey { IdempotencyKey(source, header: header, isQuoted: true) }

  /// Returns the key with another header name, such as `PayPal-Request-Id`.
  public func named(_ header: String) -> IdempotencyKey {
    IdempotencyKey(source, header: header, isQuoted: isQuoted)
  }

  func text(of key: String) throws(Refusal) -> String {
    guard !key.isEmpty else { throw Refusal("the idempotency key is empty", kind: .invalidRequest) }
    guard isQuoted else { return key }
    guard key.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw Refusal("the idempotency key contains a character that cannot be quoted", kind: .invalidRequest)
    }
    let escaped = key.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
    return "\"\(String(escaped))\""
  }
}

final class DispatchIdempotencyKey: Sendable {
  private let asked: IdempotencyKey
  private let make: @Sendable () -> String
  /// Calls of ``add(to:)`` do not overlap, so reading and writing need no common lock.
  private let kept = Locked<String?>(nil)

  init(_ asked: IdempotencyKey, make: @escaping @Sendable () -> String) {
    self.asked = asked
    self.make = make
  }

  @inline(__always)
  static func kept(
    _ asked: IdempotencyKey, make: @autoclosure () -> @Sendable () -> String
  ) -> DispatchIdempotencyKey? {
    asked.isAsked ? DispatchIdempotencyKey(asked, make: make()) : nil
  }

  /// Adds the dispatch's key to the request.
  ///
  /// If the dispatch has no key yet, a value already in the header becomes the key.
  func add(to http: inout HTTPRequest) throws {
    let own = http.headers.values(for: asked.header).first
    guard let value = try kept.withLock({ $0 }) ?? own ?? made(for: http.method) else { return }
    kept.withLock { $0 = value }
    let judged = http.headers
    http.headers[asked.header] = value
    if let problem = http.headers.problem(skippingFieldsEqualTo: judged) {
      throw Refusal(problem, kind: .invalidRequest)
    }
  }

  func remove(from next: inout HTTPRequest, after sent: HTTPRequest) {
    if next.method != sent.method || !Origin.same(next.url, sent.url) { next.headers[asked.header] = nil }
  }

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
