/// Requests of any types, all at once; gives their values as a tuple, in their order.
///
/// ```swift
/// let (user, news) = try await agent.send(BatchRequest(GetUser(id: 7), GetNews()))
/// ```
///
/// The first failure cancels the others and is the failure of the batch, once they have ended; see ``stopsOnFailure``. An
/// empty batch completes at once. On systems older than the ones named here there is
/// ``RequestAgent/sendTogether(_:)``. For any number of one type there is ``UniformBatch``.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
public struct BatchRequest<each R: Request>: RequestGroup {
  /// The values of the members.
  public typealias Results = (repeat (each R).Response)

  /// The members.
  public let requests: (repeat each R)
  /// Whether the first failure cancels the others; `true` by default.
  ///
  /// Otherwise all members end, and then the batch fails if any did: with the first failure, and all of them in
  /// ``RequestError/group``.
  public var stopsOnFailure = true
  /// Watch this batch; empty by default.
  public var accessories: [any GroupAccessory] = []
  /// Shown in logs; `nil` by default.
  public var comment: String?

  /// Makes a batch.
  public init(_ request: repeat each R) { requests = (repeat each request) }

  /// Sends the members.
  public func results(in run: GroupRun) async throws -> (repeat (each R).Response) {
    try await run.values(of: repeat each requests, stopsOnFailure: stopsOnFailure)
  }

  /// The same batch as a group that waits for every member and gives every outcome; no failure is its own.
  public var outcomes: GroupOutcomes<(repeat Outcome<(each R).Response>)> {
    GroupOutcomes(accessories: accessories, comment: comment) { run in
      let outcomes = await run.outcomes(of: repeat each requests, stopsOnFailure: false)
      try run.checkCancellation()
      return outcomes
    }
  }
}

/// Any number of requests of one type, all or some at once; gives their values in the order of the requests.
///
/// ```swift
/// let users = try await agent.send(UniformBatch(ids.map { GetUser(id: $0) }, width: 4))
/// ```
///
/// The first failure cancels the others and is the failure of the batch, once they have ended; see ``stopsOnFailure``. An
/// empty batch completes at once. For requests of different types there is ``BatchRequest``.
public struct UniformBatch<R: Request>: RequestGroup {
  /// The members.
  public var requests: [R]
  /// How many run at once; all by default.
  ///
  /// Less than one is one. Their turns come in their order.
  public var width: Int?
  /// Whether the first failure cancels the others; `true` by default.
  ///
  /// Otherwise all members end, and then the batch fails if any did: with the first failure, and all of them in
  /// ``RequestError/group``.
  public var stopsOnFailure = true
  /// Watch this batch; empty by default.
  public var accessories: [any GroupAccessory] = []
  /// Shown in logs; `nil` by default.
  public var comment: String?

  /// Makes a batch.
  public init(_ requests: some Sequence<R>, width: Int? = nil) {
    self.requests = Array(requests)
    self.width = width
  }

  /// Sends the members.
  public func results(in run: GroupRun) async throws -> [R.Response] {
    try await run.values(of: requests, width: width, stopsOnFailure: stopsOnFailure)
  }

  /// The same batch as a group that waits for every member and gives every outcome; no failure is its own.
  public var outcomes: GroupOutcomes<[Outcome<R.Response>]> {
    GroupOutcomes(accessories: accessories, comment: comment) { [requests, width] run in
      let outcomes = await run.outcomes(of: requests, width: width, stopsOnFailure: false)
      try run.checkCancellation()
      return outcomes
    }
  }
}
