import Foundation

@testable import Errand

/// In memory, with one valid token; other tokens get a 401.
final class TokenService: Sendable {
  private struct State {
    var valid = "t1"
    var lines: [String] = []
    var refusals = 0
  }

  private let state = Locked(State())
  let transport: FunctionTransport
  let allRefused = OneTime<Bool>()

  /// `refusals` set ``allRefused``; `answer` may replace the service's response.
  init(
    refusals: Int = .max,
    _ answer: @escaping @Sendable (HTTPRequest, TokenService) async throws -> HTTPResponse? = { _, _ in nil }
  ) {
    let service = Locked<TokenService?>(nil)
    transport = FunctionTransport { request, _ in
      guard let service = service.withLock({ $0 }) else { return HTTPResponse(status: 500) }
      service.note(request)
      if let answer = try await answer(request, service) { return answer }
      let response = service.answer(to: request, refusals)
      if response.status == 401, refusals < .max { _ = try await service.allRefused.wait() }
      return response
    }
    service.withLock { $0 = self }
  }

  /// Such as `GET /users t0`, with `-` without a token.
  var lines: [String] { state.withLock { $0.lines } }

  func accept(_ token: String) { state.withLock { $0.valid = token } }

  func agent(
    _ authenticator: (any Authenticator)?, hooks: [any RequestHooks] = [], accessories: [any Accessory] = [],
    clock: AgentClock = .continuous
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.authenticator = authenticator
    configuration.clock = clock
    // No limit, because tests expect many refusals at the same time.
    configuration.maxRequestsPerOrigin = 0
    return RequestAgent(
      baseURL: "http://a", transport: transport, hooks: hooks, accessories: accessories,
      configuration: configuration)
  }

  private func note(_ request: HTTPRequest) {
    let token = request.headers["Authorization"]?.replacing("Bearer ", with: "") ?? "-"
    state.withLock { $0.lines.append("\(request.method) \(request.url.path) \(token)") }
  }

  private func answer(to request: HTTPRequest, _ refusals: Int) -> HTTPResponse {
    if request.url.path == "/token" { return HTTPResponse(body: Data(state.withLock { $0.valid }.utf8)) }
    let (isGood, count) = state.withLock { state in
      let isGood = request.headers["Authorization"] == "Bearer \(state.valid)"
      if !isGood { state.refusals += 1 }
      return (isGood, state.refusals)
    }
    if isGood { return HTTPResponse(body: Data("ok".utf8)) }
    if count >= refusals { allRefused.set(true) }
    return HTTPResponse(status: 401)
  }
}

struct RenewToken: Request {
  typealias Response = String
  let path = "token"
  let method = HTTPMethod.post
  var authentication: Authentication = .none
}

struct GetUsers: Request {
  typealias Response = String
  let path = "users"
  var retryPolicy: RetryPolicy = .none
  var authentication: Authentication = .inherited
}

extension BearerAuthenticator {
  static func renewing(
    _ token: String? = "t0", expires: Date? = nil, timeout: Duration? = .seconds(60),
    recorder: Recorder = Recorder()
  ) -> BearerAuthenticator {
    BearerAuthenticator(
      token.map { BearerAuthenticator.Credential(accessToken: $0, refreshToken: "r", expires: expires) },
      refreshTimeout: timeout
    ) { current, context in
      recorder.add("refresh \(current?.accessToken ?? "-")")
      return BearerAuthenticator.Credential(
        accessToken: try await context.send(RenewToken()), refreshToken: "r")
    }
  }
}

struct RecordingAuthenticator: Authenticator {
  let recorder: Recorder
  var failing = ""
  var change: @Sendable (inout HTTPRequest) -> Void = { $0.headers["X-Signed"] = "yes" }

  func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
    recorder.add("authenticate \(context.dispatch.attempt)")
    if failing == "authenticate" { throw ProbeError(stage: failing) }
    change(&request)
  }

  func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool {
    recorder.add("renew \(failure.kind)")
    if failing == "renew" { throw ProbeError(stage: failing) }
    return failure.status == 401
  }
}
