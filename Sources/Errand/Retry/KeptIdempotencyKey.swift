/// The idempotency key of one dispatch: decided when it is first built, the same from then on.
///
/// Made only for a request that asks for a key.
final class KeptIdempotencyKey: Sendable {
  private let asked: IdempotencyKey
  private let make: @Sendable () -> String
  /// The value of the header; one task at a time builds, so that nobody comes between a look and a change.
  private let kept = Locked<String?>(nil)

  init(_ asked: IdempotencyKey, make: @escaping @Sendable () -> String) {
    self.asked = asked
    self.make = make
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
