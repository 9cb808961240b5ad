import Errand
import ErrandMocks
import Foundation
import TestSupport
import Testing

@MainActor final class Screen {
  var events: [String] = []

  func note(_ event: String) {
    MainActor.assertIsolated()
    events.append(event)
  }
}

protocol ScreenRequest: MainActorRequest {}

struct Greet: ScreenRequest {
  typealias Response = User
  let screen: Screen
  let path = "users/7"

  func filter(_ outcome: Outcome<User>, context: RequestContext) async -> Outcome<User> {
    screen.note("request filters \(outcome.value?.name ?? "nothing")")
    return outcome
  }
  func completed(_ outcome: Outcome<User>, context: RequestContext) async {
    screen.note("request completed")
  }
}

/// A request without hooks.
struct Quiet: ScreenRequest {
  typealias Response = User
  let path = "users/7"
}

@MainActor final class ScreenHooks: RequestHooks {
  let screen: Screen

  init(_ screen: Screen) { self.screen = screen }

  func filter<Value>(_ outcome: Outcome<Value>, context: RequestContext) async -> Outcome<Value> {
    screen.note("hooks filter")
    return outcome
  }
  func completed<Value>(_ outcome: Outcome<Value>, context: RequestContext) async {
    screen.note("hooks completed")
  }
}

@Suite("Outcomes on the main actor, in a plain module")
@MainActor struct PlainMainActorHooksTests {
  @Test(
    "The outcome hooks of a MainActorRequest and of a main actor class, and an accessory's closures, run there"
  )
  func outcomes() async throws {
    let screen = Screen()
    let watcher = EventAccessory.onMainActor(
      willStart: { _ in screen.note("will start") },
      willSend: { request, _ in screen.note("will send \(request.method)") },
      attemptStopped: { attempt, _ in screen.note("attempt \(attempt.number) stopped") },
      willStop: { _ in screen.note("will stop") },
      didStop: { report, _ in screen.note("did stop after \(report.attempts.count)") })
    let agent = RequestAgent.forConsumers(hooks: [ScreenHooks(screen)], accessories: [watcher])
    #expect(try await agent.send(Greet(screen: screen)).id == 7)
    #expect(
      screen.events == [
        "will start", "will send GET", "attempt 1 stopped", "will stop", "request filters Ada",
        "hooks filter", "request completed", "hooks completed", "did stop after 1",
      ])
    #expect(try await agent.send(Greet(screen: screen).with(\.tag, 3)).id == 7)
    #expect(screen.events.count == 18)
    #expect(try await agent.send(Quiet()).id == 7)
  }
}
