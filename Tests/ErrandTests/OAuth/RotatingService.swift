import ErrandMocks
import Foundation

@testable import Errand

/// A service with its authorization server, for two processes that share one token store.
///
/// The service repeatedly ends the access token of both processes at the same moment. Each renewal rotates
/// the refresh token.
final class RotatingService: Sendable {
  struct State {
    /// The number of the newest tokens.
    ///
    /// The store starts with `t0` and `r0`.
    var issued = 0
    /// The number of the newest tokens that a client has used.
    ///
    /// These tokens still renew until a client uses newer tokens, because a killed client may have lost the
    /// response.
    var seen = 0
    /// The number of the token in the last served request of each process.
    var served: [String: Int] = [:]
    var waiting: Set<String> = []
    /// The expired token.
    var ended: Int?
    /// The number of times that both processes were refused at the same time.
    var rounds = 0
    var renewals = 0
    /// The renewals that replace renewals with lost responses.
    var repeated = 0
    var refusedGrants = 0
  }

  let server: MockServer
  let state = Locked(State())

  /// - Parameter rounds: The number of times that both processes must renew.
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
