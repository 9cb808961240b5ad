import Foundation

/// Makes the product of a successful attempt, and calls outcome hooks.
protocol DispatchOutput<R>: Sendable {
  associatedtype R: Request
  associatedtype Product: Sendable
  /// The value that the agent's outcome hooks receive.
  associatedtype Value: Sendable

  static var streamsBody: Bool { get }

  var file: FileResponse? { get }

  func product(
    of response: HTTPResponse, in attempt: Attempt, of dispatch: Dispatch<R>,
    on state: inout DispatchState
  ) async throws -> Product

  func preprocess(_ outcome: Outcome<Value>, of request: R, context: RequestContext) async
  func filter(_ outcome: Outcome<Value>, of request: R, context: RequestContext) async -> Outcome<Value>
  func completed(_ outcome: Outcome<Value>, of request: R, context: RequestContext) async

  func filter(_ outcome: Outcome<Value>, by hook: any RequestHooks, context: RequestContext) async
    -> Outcome<Value>
}

extension DispatchOutput {
  var file: FileResponse? { @inline(__always) get { nil } }
}

struct ValueOutput<R: Request>: DispatchOutput {
  static var streamsBody: Bool { @inline(__always) get { false } }

  @inline(__always)
  init() {}

  @inline(__always)
  func product(
    of response: HTTPResponse, in attempt: Attempt, of dispatch: Dispatch<R>,
    on state: inout DispatchState
  ) async throws -> R.Response {
    let value = try await dispatch.request.responseSerializer.serialize(response, context: attempt.context)
    try dispatch.time.checkCancellation()
    return value
  }

  @inline(__always)
  func preprocess(_ outcome: Outcome<R.Response>, of request: R, context: RequestContext) async {
    await request.preprocess(outcome, context: context)
  }

  @inline(__always)
  func filter(
    _ outcome: Outcome<R.Response>, of request: R, context: RequestContext
  ) async -> Outcome<R.Response> {
    await request.filter(outcome, context: context)
  }

  @inline(__always)
  func completed(_ outcome: Outcome<R.Response>, of request: R, context: RequestContext) async {
    await request.completed(outcome, context: context)
  }

  @inline(__always)
  func filter(
    _ outcome: Outcome<R.Response>, by hook: any RequestHooks, context: RequestContext
  ) async -> Outcome<R.Response> {
    await hook.filter(outcome, context: context)
  }
}

/// An output whose value does not come from the response serializer.
///
/// For a success, the request's own outcome hooks run if `Response` is `Void`, or if the value can be cast to
/// `Response`.
protocol UndecodedOutput: DispatchOutput where Product == Value {}

extension UndecodedOutput {
  static var streamsBody: Bool { false }

  func preprocess(_ outcome: Outcome<Value>, of request: R, context: RequestContext) async {
    if let own = outcome.known(as: R.Response.self) { await request.preprocess(own, context: context) }
  }

  func filter(_ outcome: Outcome<Value>, of request: R, context: RequestContext) async -> Outcome<Value> {
    guard let own = outcome.known(as: R.Response.self) else { return outcome }
    return switch await request.filter(own, context: context) {
    case .success(let value): (value as? Value).map { .success($0) } ?? outcome
    case .failure(let error): .failure(error)
    case .cancelled: .cancelled
    }
  }

  func completed(_ outcome: Outcome<Value>, of request: R, context: RequestContext) async {
    if let own = outcome.known(as: R.Response.self) { await request.completed(own, context: context) }
  }

  func filter(
    _ outcome: Outcome<Value>, by hook: any RequestHooks, context: RequestContext
  ) async -> Outcome<Value> {
    await hook.filter(outcome, context: context)
  }
}

struct FileOutput<R: Request>: UndecodedOutput {
  let file: FileResponse?

  func product(
    of response: HTTPResponse, in attempt: Attempt, of dispatch: Dispatch<R>,
    on state: inout DispatchState
  ) async throws -> DownloadedFile {
    guard let file = attempt.answer.file else { throw Refusal("no file was written", kind: .file) }
    // The check precedes `place()`, because a placed file stays in place after a cancellation.
    try dispatch.time.checkCancellation()
    return try file.place()
  }
}

struct ResponseOutput<R: Request>: UndecodedOutput {
  func product(
    of response: HTTPResponse, in attempt: Attempt, of dispatch: Dispatch<R>,
    on state: inout DispatchState
  ) async throws -> HTTPResponse { response }
}

struct StreamOutput<R: Request>: DispatchOutput {
  static var streamsBody: Bool { true }

  let isHandedOut: Bool

  func product(
    of response: HTTPResponse, in attempt: Attempt, of dispatch: Dispatch<R>,
    on state: inout DispatchState
  ) async throws -> OpenDispatch<R> {
    var head = response
    head.body = Data()
    attempt.answer.response = head
    dispatch.time.noteHead(&attempt.clock)
    return OpenDispatch(
      dispatch, attempt: attempt, dispatchState: state, head: head,
      body: attempt.answer.body ?? BodyStream(Data()))
  }

  func preprocess(_ outcome: Outcome<HTTPResponse>, of request: R, context: RequestContext) async {
    if let own = outcome.known(as: R.Response.self) { await request.preprocess(own, context: context) }
  }

  func filter(
    _ outcome: Outcome<HTTPResponse>, of request: R, context: RequestContext
  ) async -> Outcome<HTTPResponse> {
    guard let own = outcome.known(as: R.Response.self) else { return outcome }
    return replaced(outcome, by: await request.filter(own, context: context))
  }

  func completed(_ outcome: Outcome<HTTPResponse>, of request: R, context: RequestContext) async {
    if let own = outcome.known(as: R.Response.self) { await request.completed(own, context: context) }
    await request.streamed(outcome, context: context)
  }

  func filter(
    _ outcome: Outcome<HTTPResponse>, by hook: any RequestHooks, context: RequestContext
  ) async -> Outcome<HTTPResponse> {
    replaced(outcome, by: await hook.filter(outcome, context: context))
  }

  /// Returns the outcome after a hook.
  ///
  /// Once the caller has the head, a hook cannot turn a failure into a success.
  private func replaced<Other>(
    _ outcome: Outcome<HTTPResponse>, by other: Outcome<Other>
  ) -> Outcome<HTTPResponse> {
    switch other {
    case .failure(let error): return .failure(error)
    case .cancelled: return .cancelled
    case .success(let value):
      if case .failure = outcome, isHandedOut { return outcome }
      return (value as? HTTPResponse).map { .success($0) } ?? outcome
    }
  }
}

extension Outcome {
  func known<Other>(as type: Other.Type) -> Outcome<Other>? {
    switch self {
    case .success(let value): (value as? Other ?? () as? Other).map { .success($0) }
    case .failure(let error): .failure(error)
    case .cancelled: .cancelled
    }
  }
}
