import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// Compares random exchanges with a slow model.
@Suite("The rules against a model", .timeLimit(.minutes(30)))
struct CacheModelTests {
  struct Given {
    let body: String
    let url: Int
    let user: Int
    /// `nil` without `Vary`.
    let mode: Int?
    let tag: String?
    var lifetime: Int
    var isStorable: Bool
    var noCache = false
    var mustRevalidate = false
    var whileRevalidating = 0
    var ifError = 0
    /// The time of the response, or of the last revalidation.
    var time: Int
    /// An unsafe request, or a later response that may not be stored, has invalidated this response.
    var isOver = false

    func isFor(_ url: Int, _ user: Int, _ mode: Int) -> Bool {
      self.url == url && self.user == user && (self.mode ?? mode) == mode
    }
  }

  final class Origin: Sendable {
    struct State {
      var given: [Given] = []
      var random: SeededGenerator
      var time = 0
      var count = 0
      var asked = 0
      var failed = false
      var confirmed = false
    }

    let state: Locked<State>

    init(seed: UInt64) { state = Locked(State(random: SeededGenerator(seed: seed))) }

    func answer(_ request: ReceivedRequest) throws -> MockAnswer {
      let url = Int(request.path.dropFirst()) ?? 0
      let user = Int(request.headers["Authorization"]?.suffix(1) ?? "0") ?? 0
      let mode = Int(request.headers["X-Mode"] ?? "") ?? 0
      return try state.withLock { state in
        state.asked += 1
        if request.method == .post {
          for index in state.given.indices where state.given[index].url == url {
            state.given[index].isOver = true
          }
          return .status(204)
        }
        switch state.random.below(12) {
        case 0:
          state.failed = true
          throw TransportError(.connectionFailed, "down")
        case 1:
          state.failed = true
          return .status(503)
        default: break
        }
        if let tag = request.headers["If-None-Match"], state.random.below(2) == 0,
          let index = state.given.lastIndex(where: { $0.tag == tag })
        {
          state.confirmed = true
          state.given[index].time = state.time
          state.given[index].lifetime = 1 + state.random.below(20)
          (state.given[index].noCache, state.given[index].mustRevalidate) = (false, false)
          (state.given[index].whileRevalidating, state.given[index].ifError) = (0, 0)
          return .status(304).header("ETag", tag).header(
            "Cache-Control", "max-age=\(state.given[index].lifetime)")
        }
        return Self.new(url, user, mode, &state)
      }
    }

    private static func new(_ url: Int, _ user: Int, _ mode: Int, _ state: inout State) -> MockAnswer {
      let number = state.count
      state.count += 1
      // No condition with the tags of forgotten responses matches.
      if state.given.count > 400 { state.given.removeFirst(200) }
      func chance(_ one: Int) -> Bool { state.random.below(one) == 0 }
      var given = Given(
        body: "\(url) \(user) \(number)", url: url, user: user, mode: chance(2) ? mode : nil,
        tag: chance(2) ? "\"\(number)\"" : nil, lifetime: state.random.below(20), isStorable: true,
        time: state.time)
      var control = ["max-age=\(given.lifetime)"]
      if chance(8) {
        control.append("no-store")
        given.isStorable = false
      }
      if chance(8) {
        control.append("no-cache")
        given.noCache = true
      }
      if chance(6) {
        control.append("must-revalidate")
        given.mustRevalidate = true
      }
      if chance(4) {
        given.whileRevalidating = 1 + state.random.below(20)
        control.append("stale-while-revalidate=\(given.whileRevalidating)")
      }
      if chance(4) {
        given.ifError = 1 + state.random.below(20)
        control.append("stale-if-error=\(given.ifError)")
      }
      if chance(4) { control.append("public") }
      if given.lifetime == 0, given.tag == nil, max(given.whileRevalidating, given.ifError) == 0 {
        given.isStorable = false
      }
      if !given.isStorable {
        for index in state.given.indices where state.given[index].isFor(url, user, mode) {
          state.given[index].isOver = true
        }
      }
      state.given.append(given)
      var answer = MockAnswer.text(given.body).header("Cache-Control", control.joined(separator: ", "))
      if given.mode != nil { answer = answer.header("Vary", "x-mode") }
      if let tag = given.tag { answer = answer.header("ETag", tag) }
      return answer
    }
  }

  enum Ask: CaseIterable {
    case nothing, noCache, maxAge, maxStale, minFresh

    var field: String? {
      switch self {
      case .nothing: nil
      case .noCache: "no-cache"
      case .maxAge: "max-age=5"
      case .maxStale: "max-stale=7"
      case .minFresh: "min-fresh=6"
      }
    }
  }

  @Test(
    "Nothing stale is served as fresh, nothing of another user, Vary or URL is served, and required hits happen",
    arguments: [1, 2, 3, 4])
  func model(_ seed: UInt64) async throws {
    let environment = ProcessInfo.processInfo.environment["ERRAND_CACHE_EXCHANGES"].flatMap { Int($0) }
    let exchanges = (environment ?? 2_000) / 4
    let origin = Origin(seed: seed)
    let bench = CacheBench { try origin.answer($0) }
    var random = SeededGenerator(seed: seed + 100)
    var counts: [ExchangeReport.CacheVerdict.Source: Int] = [:]
    for exchange in 0..<exchanges {
      let step = 1 + random.below(6)
      await bench.advance(step)
      let (url, user, mode) = (random.below(4), random.below(3), random.below(2))
      if random.below(15) == 0 {
        try await bench.agent.send(.post("\(url)"))
        origin.state.withLock { $0.time += step }
        continue
      }
      let ask = random.below(3) == 0 ? Ask.allCases[random.below(Ask.allCases.count)] : .nothing
      var headers: HTTPHeaders = ["X-Mode": "\(mode)"]
      if user > 0 { headers["Authorization"] = "Bearer token-of-user-\(user)" }
      if let field = ask.field { headers["Cache-Control"] = field }
      let before = origin.state.withLock { state in
        state.time += step
        (state.asked, state.failed, state.confirmed) = (0, false, false)
        return state.given
      }
      let now = origin.state.withLock { $0.time }
      let due = Self.due(before, url, user, mode, now, ask)
      let received: Received<String>
      do {
        received = try await bench.agent.response(for: .get("\(url)", headers: headers, as: String.self))
      } catch let error as RequestError {
        let (failed, given) = origin.state.withLock { ($0.failed, due) }
        #expect(failed && given == nil, "\(seed).\(exchange): \(error.reason)")
        continue
      }
      let verdict = try #require(received.report.cache)
      counts[verdict.source, default: 0] += 1
      await bench.agent.cacheRefreshes.wait()
      let after = origin.state.withLock { $0 }
      let problem = Self.problem(
        received.value, verdict.source, before, after, due, (url, user, mode), now, ask)
      #expect(problem == nil, "\(seed).\(exchange): \(problem ?? "") \(verdict) \(received.value)")
    }
    // With few exchanges of a source, the checks would prove little.
    for source in [ExchangeReport.CacheVerdict.Source.network, .cache, .revalidated, .stale] {
      #expect(counts[source, default: 0] > exchanges / 100, "\(source)")
    }
  }

  /// The newest matching response, if fresh and unless the request demands revalidation.
  private static func due(
    _ given: [Given], _ url: Int, _ user: Int, _ mode: Int, _ now: Int, _ ask: Ask
  ) -> Given? {
    let standing = given.filter { $0.isFor(url, user, mode) && !$0.isOver && $0.isStorable }
    guard let newest = standing.max(by: { $0.time < $1.time }), !newest.noCache else { return nil }
    let age = now - newest.time
    guard age < newest.lifetime else { return nil }
    switch ask {
    case .nothing, .maxStale: return newest
    case .noCache: return nil
    case .maxAge: return age < 5 ? newest : nil
    case .minFresh: return newest.lifetime - age >= 6 ? newest : nil
    }
  }

  /// `nil` for a correct response.
  private static func problem(
    _ body: String, _ source: ExchangeReport.CacheVerdict.Source, _ before: [Given], _ after: Origin.State,
    _ due: Given?,
    _ place: (url: Int, user: Int, mode: Int), _ now: Int, _ ask: Ask
  ) -> String? {
    guard let given = after.given.first(where: { $0.body == body }) else { return "nobody gave it" }
    guard given.isFor(place.url, place.user, place.mode) else { return "it is another's" }
    if let due {
      return source == .cache && due.body == body && after.asked == 0 ? nil : "it is fresh, and was asked for"
    }
    switch source {
    case .cache: return "it is not fresh"
    case .network:
      return after.asked >= 1 && given.time == now && !before.contains { $0.body == body } ? nil : "it is old"
    case .revalidated: return after.confirmed && given.time == now ? nil : "nobody confirmed it"
    case .nowhere: return "it is an answer, and comes from nowhere"
    case .stale: break
    }
    guard let old = before.first(where: { $0.body == body }), !old.isOver, old.isStorable else {
      return "it is over"
    }
    let late = now - old.time - old.lifetime
    if old.mustRevalidate || old.noCache || ask == .noCache { return "the server wants to be asked" }
    if ask == .maxStale, late <= 7 { return nil }
    if ask != .minFresh, old.whileRevalidating > 0, late <= old.whileRevalidating { return nil }
    return after.failed && old.ifError > 0 && late <= old.ifError ? nil : "it is too old"
  }
}
