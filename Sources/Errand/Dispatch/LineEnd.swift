import Foundation

/// How a ``Dispatch`` ends its line: what a successful attempt gives, and what hooks get of it.
protocol LineEnd<R>: Sendable {
  associatedtype R: Request
  /// What the last attempt gives.
  associatedtype Product: Sendable
  /// What the hooks of the outcome get.
  associatedtype Value: Sendable

  /// Whether the attempt goes on with what it gave, so that the line has a pause.
  static var handsOut: Bool { get }

  /// The file that the body is to be written into; `nil` for none.
  var file: FileResponse? { get }

  /// Makes the product of a response that the hooks have filtered; of a line that hands the body out, the response is its head.
  func product(
    of response: HTTPResponse, body: BodyStream, in attempt: inout Attempt, of dispatch: Dispatch<R>,
    on state: DispatchState
  ) async throws -> Product

  /// The request's own hooks of the outcome.
  func preprocess(_ outcome: Outcome<Value>, of request: R, context: RequestContext) async
  func filter(_ outcome: Outcome<Value>, of request: R, context: RequestContext) async -> Outcome<Value>
  func completed(_ outcome: Outcome<Value>, of request: R, context: RequestContext) async

  /// The agent's.
  func filter(_ outcome: Outcome<Value>, by hook: any RequestHooks, context: RequestContext) async
    -> Outcome<Value>
}

extension LineEnd {
  var file: FileResponse? { @inline(__always) get { nil } }
}

/// The value of a response that is read whole and decoded.
struct ValueEnd<R: Request>: LineEnd {
  static var handsOut: Bool { @inline(__always) get { false } }

  @inline(__always)
  init() {}

  @inline(__always)
  func product(
    of response: HTTPResponse, body: BodyStream, in attempt: inout Attempt, of dispatch: Dispatch<R>,
    on state: DispatchState
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

/// An end whose value is another one than the request's own; its hooks of the outcome get it where they know its type, and failures and cancellations
/// in any case.
protocol OtherEnd: LineEnd where Product == Value {}

extension OtherEnd {
  static var handsOut: Bool { false }

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

/// A file that the body of a response was written into.
struct FileEnd<R: Request>: OtherEnd {
  let file: FileResponse?

  func product(
    of response: HTTPResponse, body: BodyStream, in attempt: inout Attempt, of dispatch: Dispatch<R>,
    on state: DispatchState
  ) async throws -> DownloadedFile {
    guard let file = attempt.answer.file else { throw Refusal("nothing was written", kind: .file) }
    // Later it is in place.
    try dispatch.time.checkCancellation()
    return try file.place()
  }
}

/// A whole response as it is, whatever the request makes of it otherwise.
struct ResponseEnd<R: Request>: OtherEnd {
  func product(
    of response: HTTPResponse, body: BodyStream, in attempt: inout Attempt, of dispatch: Dispatch<R>,
    on state: DispatchState
  ) async throws -> HTTPResponse { response }
}

/// The head of a response whose body is handed out.
struct HeadEnd<R: Request>: LineEnd {
  static var handsOut: Bool { true }

  /// Whether the head has been handed out.
  let isHandedOut: Bool

  func product(
    of response: HTTPResponse, body: BodyStream, in attempt: inout Attempt, of dispatch: Dispatch<R>,
    on state: DispatchState
  ) async throws -> OpenDispatch<R> {
    var head = response
    head.body = Data()
    attempt.answer.response = head
    dispatch.time.noteHead(&attempt.clock)
    return OpenDispatch(dispatch, attempt: attempt, dispatchState: state, head: head, body: body)
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

  /// What a hook made of it: a failure becomes a success only by a response of the hook's, and only while nothing was
  /// handed out, as no hook can bring the missing bytes.
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
  /// The outcome as hooks know it that have a value of another type; `nil` for a success that is none of theirs.
  func known<Other>(as type: Other.Type) -> Outcome<Other>? {
    switch self {
    case .success(let value): (value as? Other ?? () as? Other).map { .success($0) }
    case .failure(let error): .failure(error)
    case .cancelled: .cancelled
    }
  }
}
