extension GroupRun {
  /// Runs requests of any types at once and gives their values; throws for the first that does not succeed.
  func values<each R: Request>(
    of request: repeat each R, stopsOnFailure: Bool
  ) async throws -> (repeat (each R).Response) {
    var members = 0..<0
    let outcomes = await outcomes(of: repeat each request, stopsOnFailure: stopsOnFailure, members: &members)
    try core.ledger.checkProblems(among: members)
    return try (repeat (each outcomes).heldValue())
  }

  /// Runs requests of any types at once and gives their outcomes.
  func outcomes<each R: Request>(
    of request: repeat each R, stopsOnFailure: Bool
  ) async -> (repeat Outcome<(each R).Response>) {
    var members = 0..<0
    return await outcomes(of: repeat each request, stopsOnFailure: stopsOnFailure, members: &members)
  }

  /// The same, and tells their indices.
  private func outcomes<each R: Request>(
    of request: repeat each R, stopsOnFailure: Bool, members: inout Range<Int>
  ) async -> (repeat Outcome<(each R).Response>) {
    var requests: [any Request] = []
    var sends: [@Sendable (Int, CancellationSignal) async -> Void] = []
    func add<Q: Request>(_ request: Q) -> Locked<Outcome<Q.Response>> {
      let cell = Locked(Outcome<Q.Response>.cancelled)
      requests.append(request)
      sends.append { [core] index, batch in
        let outcome = await core.outcome(of: request, at: index, in: batch)
        cell.withLock { $0 = outcome }
      }
      return cell
    }
    let cells = (repeat add(each request))
    members = await core.together(requests, width: nil, stopsOnFailure: stopsOnFailure) {
      [sends] place, index, batch in
      await sends[place](index, batch)
    }
    return (repeat (each cells).withLock { $0 })
  }

  /// Runs requests of one type at once, at most `width` of them, and gives their values in their order; throws for the
  /// first that does not succeed.
  func values<R: Request>(of requests: [R], width: Int?, stopsOnFailure: Bool) async throws -> [R.Response] {
    var members = 0..<0
    let outcomes = await outcomes(
      of: requests, width: width, stopsOnFailure: stopsOnFailure, members: &members)
    try core.ledger.checkProblems(among: members)
    return try outcomes.map { try $0.heldValue() }
  }

  /// Runs requests of one type at once, at most `width` of them, and gives their outcomes in their order.
  func outcomes<R: Request>(
    of requests: [R], width: Int?, stopsOnFailure: Bool
  ) async -> [Outcome<R.Response>] {
    var members = 0..<0
    return await outcomes(of: requests, width: width, stopsOnFailure: stopsOnFailure, members: &members)
  }

  /// The same, and tells their indices.
  private func outcomes<R: Request>(
    of requests: [R], width: Int?, stopsOnFailure: Bool, members: inout Range<Int>
  ) async -> [Outcome<R.Response>] {
    let outcomes = Locked([Outcome<R.Response>](repeating: .cancelled, count: requests.count))
    members = await core.together(requests, width: width, stopsOnFailure: stopsOnFailure) {
      [core] place, index, batch in
      let outcome = await core.outcome(of: requests[place], at: index, in: batch)
      outcomes.withLock { $0[place] = outcome }
    }
    return outcomes.withLock { $0 }
  }
}

extension Outcome {
  /// The value; a member without one was cancelled with its group.
  fileprivate func heldValue() throws -> Value {
    switch self {
    case .success(let value): return value
    case .failure(let error): throw error
    case .cancelled: throw CancellationError()
    }
  }
}
