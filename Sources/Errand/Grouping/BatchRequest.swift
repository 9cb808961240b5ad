/// A group of requests of any types, sent concurrently; returns a tuple of the values.
///
/// ```swift
/// let (user, news) = try await agent.send(BatchRequest(GetUser(id: 7), GetNews()))
/// ```
///
/// On older systems, use ``RequestAgent/sendTogether(_:)``. For requests of the same type, use
/// ``UniformBatch``.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
public struct BatchRequest<each R: Request>: RequestGroup {
  /// The values of the members.
  public typealias Results = (repeat (each R).Response)

  /// The members.
  public let requests: (repeat each R)
  /// True if a failed or cancelled member cancels the remaining members; `true` by default.
  public var stopsOnFailure = true
  /// The accessories of the batch.
  public var accessories: [any GroupAccessory] = []
  /// A comment for logs.
  public var comment: String?

  /// Creates a batch.
  public init(_ request: repeat each R) { requests = (repeat each request) }

  /// Sends the members.
  public func results(in run: GroupRun) async throws -> (repeat (each R).Response) {
    try await run.values(of: repeat each requests, stopsOnFailure: stopsOnFailure)
  }

  /// A group of the same members that returns all outcomes; a failure does not cancel the other members.
  public var outcomes: GroupOutcomes<(repeat Outcome<(each R).Response>)> {
    GroupOutcomes(accessories: accessories, comment: comment) { run in
      let outcomes = await run.outcomes(of: repeat each requests, stopsOnFailure: false)
      try run.checkCancellation()
      return outcomes
    }
  }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension BatchRequest: PrintedByDescription {
  /// The types of the members, as in `BatchRequest(GetUser, GetNews)`.
  public var description: String {
    var types: [String] = []
    for request in repeat each requests { types.append("\(type(of: request))") }
    return "BatchRequest(\(types.joined(separator: ", ")))"
  }
}

/// A group of requests of the same type, sent concurrently; returns the values in order.
///
/// ```swift
/// let users = try await agent.send(UniformBatch(ids.map { GetUser(id: $0) }, width: 4))
/// ```
///
/// For requests of different types, use ``BatchRequest``.
public struct UniformBatch<R: Request>: RequestGroup {
  /// The members.
  public var requests: [R]
  /// The maximum number of concurrent members, at least 1; `nil` for no limit.
  public var width: Int?
  /// True if a failed or cancelled member cancels the remaining members; `true` by default.
  public var stopsOnFailure = true
  /// The accessories of the batch.
  public var accessories: [any GroupAccessory] = []
  /// A comment for logs.
  public var comment: String?

  /// Creates a batch.
  public init(_ requests: some Sequence<R>, width: Int? = nil) {
    self.requests = Array(requests)
    self.width = width
  }

  /// Sends the members.
  public func results(in run: GroupRun) async throws -> [R.Response] {
    try await run.values(of: requests, width: width, stopsOnFailure: stopsOnFailure)
  }

  /// A group of the same members that returns all outcomes; a failure does not cancel the other members.
  public var outcomes: GroupOutcomes<[Outcome<R.Response>]> {
    GroupOutcomes(accessories: accessories, comment: comment) { [requests, width] run in
      let outcomes = await run.outcomes(of: requests, width: width, stopsOnFailure: false)
      try run.checkCancellation()
      return outcomes
    }
  }
}

extension UniformBatch: PrintedByDescription {
  /// The number and the type of the members.
  public var description: String { "UniformBatch(\(requests.count) of \(R.self))" }
}
