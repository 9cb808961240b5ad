import ErrandMocks
import Foundation

@testable import Errand

/// A service with its authorization server, for two processes that share a token store.
///
/// The access tokens of both processes end at the same moment. Each renewal rotates the refresh token.
final class RotatingService: Sendable {
  struct State {
    /// The newest tokens; the store starts with `t0` and `r0`.
    var issued = 0
    /// The newest tokens that a client has used.
    ///
    /// These tokens renew until newer tokens are used, because a killed client may have lost a response.
    var seen = 0
    /// The token in the last served request of each process.
    var served: [String: Int] = [:]
    var waiting: Set<String> = []
    var ended: Int?
    /// Both processes were refused at the same time.
    var rounds = 0
    var renewals = 0
    /// The renewals that replace renewals with lost responses.
    var repeated = 0
    var refusedGrants = 0
  }

  let server: MockServer
  let state = Locked(State())

  init(rounds: Int) throws {
    server = try MockServer()
    server.route(.post, "/token") { [state] request in
      let form = String(decoding: request.body, as: UTF8.self)
      return state.withLock { Self.renew(form, &$0) }
    }
    for name in ["a", "b"] {
      server.route(.get, "/work/\(name)") { [state] request in
        let token = request.headers["Authorization"]?.dropFirst("Bearer t".count)
        return state.withLock { Self.work(name, token.flatMap { Int($0) }, rounds, &$0) }
      }
    }
  }

  deinit { server.stop() }

  private static func renew(_ form: String, _ state: inout State) -> MockAnswer {
    let sent = form.split(separator: "&").first { $0.hasPrefix("refresh_token=r") }
    let number = sent.flatMap { Int($0.dropFirst("refresh_token=r".count)) }
    if number == state.issued {
      state.renewals += 1
    } else if let number, (state.seen..<state.issued).contains(number) {
      state.repeated += 1
    } else {
      state.refusedGrants += 1
      return .json(#"{"error":"invalid_grant"}"#, status: 400)
    }
    state.issued += 1
    let tokens = #"{"access_token":"t\#(state.issued)","refresh_token":"r\#(state.issued)"}"#
    return .json(tokens).delayed(by: .milliseconds(2))
  }

  private static func work(
    _ name: String, _ token: Int?, _ rounds: Int, _ state: inout State
  ) -> MockAnswer {
    guard token == state.issued, state.ended != token else { return .status(401) }
    state.seen = state.issued
    guard state.served[name] == token else {
      state.served[name] = token
      return .text("work")
    }
    if state.rounds == rounds { return .text("end") }
    state.waiting.insert(name)
    guard state.waiting.count == 2 else { return .text("wait").delayed(by: .milliseconds(1)) }
    (state.waiting, state.ended) = ([], token)
    state.rounds += 1
    return .status(401)
  }
}
