import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Many concurrent dispatches on an agent")
struct ConcurrencyTests {
  /// Each chunk contains the number of the request.
  struct Slow: Request {
    typealias Response = String
    let name: Int
    let seen: Recorder
    var path: String { "slow/\(name)" }
    var tag: Int { name }

    func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
      if context.tag != name { seen.add("response of \(context.tag) for \(name)") }
    }
    func completed(_ outcome: Outcome<String>, context: RequestContext) async {
      if context.tag != name || outcome.value != Self.text(name) {
        seen.add("outcome for \(name): \(outcome)")
      }
    }

    static func text(_ name: Int) -> String { chunks(name).joined() }
    static func chunks(_ name: Int) -> [String] { (0..<5).map { "<\(name).\($0)>" } }
  }

  static func server() throws -> MockServer {
    let server = try MockServer()
    server.route(.get, "/slow/*") { request in
      let name = Int(request.path.dropFirst("/slow/".count)) ?? -1
      return .chunks(Slow.chunks(name).map { Data($0.utf8) }, gap: .milliseconds(Int64(1 + name % 3)))
    }
    return server
  }

  @Test("20 times 256 concurrent dispatches with interleaved slow bodies mix up no byte and no callback")
  func neverMixed() async throws {
    let server = try Self.server()
    defer { server.stop() }
    let agent = RequestAgent(baseURL: server.baseURL)
    agent.maxRequestsPerOrigin = 0
    let seen = Recorder()
    for round in 0..<20 {
      try await withThrowingTaskGroup(of: (Int, String).self) { group in
        for index in 0..<256 {
          let name = round * 256 + index
          group.addTask { (name, try await agent.send(Slow(name: name, seen: seen))) }
        }
        for try await (name, text) in group { #expect(text == Slow.text(name)) }
      }
      #expect(agent.liveCount == 0)
    }
    #expect(seen.events == [])
    #expect(server.requestCount == 20 * 256)
    #expect(server.maximumConcurrency > 1)
  }

  @Test("Completions of started requests each get their own outcome once")
  func completions() async throws {
    let server = try Self.server()
    defer { server.stop() }
    let agent = RequestAgent(baseURL: server.baseURL)
    agent.maxRequestsPerOrigin = 0
    let seen = Recorder()
    let handles = (0..<256).map { name in
      agent.start(Slow(name: name, seen: seen), on: .global()) { outcome in
        seen.add("\(name): \(outcome.value ?? "\(outcome)")")
      }
    }
    for handle in handles { _ = try await handle.value }
    #expect(Set(seen.events) == Set((0..<256).map { "\($0): \(Slow.text($0))" }))
    #expect(seen.events.count == 256)
    #expect(agent.liveCount == 0)
  }

  @Test("Failing, cancelled and successful dispatches on an agent leave nothing behind")
  func mixedOutcomes() async throws {
    let server = try Self.server()
    defer { server.stop() }
    server.route(.get, "/missing", answers: .status(404))
    let stops = Recorder()
    let agent = RequestAgent(
      baseURL: server.baseURL,
      accessories: [
        EventAccessory(
          willStart: { stops.add("start \($0.id)") }, didStop: { report, _ in stops.add("stop \(report.id)") }
        )
      ])
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<300 {
        group.addTask {
          switch index % 3 {
          case 0: _ = try? await agent.send(Slow(name: index, seen: Recorder()))
          case 1: _ = try? await agent.send(.get("missing"))
          default:
            let handle = agent.start(Slow(name: index, seen: Recorder()))
            handle.cancel()
            _ = try? await handle.value
          }
        }
      }
    }
    #expect(agent.liveCount == 0)
    #expect(Set(stops.events).count == 600)
    #expect(stops.events.count == 600)
  }

  @Test("A throwing hook only fails its own request")
  func throwingHook() async throws {
    struct Sometimes: RequestHooks {
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        if context.tag == 1 { throw Refusal("not this one", kind: .hook) }
      }
    }
    let server = try Self.server()
    defer { server.stop() }
    let agent = RequestAgent(baseURL: server.baseURL, hooks: [Sometimes()])
    await #expect(throws: RequestError.self) { try await agent.send(Slow(name: 1, seen: Recorder())) }
    #expect(try await agent.send(Slow(name: 2, seen: Recorder())) == Slow.text(2))
    #expect(server.requestCount == 1)
  }
}
