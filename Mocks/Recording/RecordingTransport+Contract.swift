public import Errand

extension RecordingTransport {
  /// Runs every recorded answer through its endpoint's validators, hooks and `Response` type, and tells which no
  /// longer fit.
  ///
  ///     let problems = try await RecordingTransport(file).check([GetUser(id: 7), ListUsers()]) { transport in
  ///       RequestAgent(baseURL: "https://api.example.com", transport: transport)
  ///     }
  ///     #expect(problems.isEmpty, "\(problems)")
  ///
  /// Each request finds the entries of its method and URL, and is dispatched once for each, as in production but for
  /// the wire, the ``/Errand/Request/retryPolicy``, which is `.none`, and the ``/Errand/Request/mockPolicy``, which is
  /// `.never`. Where entries differ in the bodies of their requests and some have its body, it finds only those.
  /// Redirects take their entries too. Nothing is sent, and ``unusedEntries`` does not change.
  ///
  /// - Parameters:
  ///   - requests: the endpoints, in any order.
  ///   - agent: makes the agent of one endpoint over the transport it is given, with the base URL and the hooks of
  ///     production.
  /// - Returns: the problems of the requests in their order, and then the entries that no request found.
  /// - Throws: `CancellationError` when the calling task was cancelled.
  public func check(
    _ requests: [any Request], agent: @Sendable (any Transport) -> RequestAgent
  ) async throws -> [ContractProblem] {
    var problems: [ContractProblem] = []
    var found: Set<Int> = []
    for request in requests {
      let transport = ContractTransport(entries, capabilities: capabilities)
      problems += try await Self.problems(of: request, agent: agent(transport), transport)
      found.formUnion(transport.used)
    }
    let unclaimed = entries.entries.indices.filter { !found.contains($0) }
    return problems + unclaimed.map { ContractProblem(entry: entries.exchange(at: $0), error: nil) }
  }

  private static func problems<R: Request>(
    of request: R, agent: RequestAgent, _ transport: ContractTransport
  ) async throws -> [ContractProblem] {
    var problems: [ContractProblem] = []
    repeat {
      transport.begin()
      do {
        try await agent.send(request.with(\.retryPolicy, .none).with(\.mockPolicy, .never))
      } catch let error as RequestError {
        problems.append(ContractProblem(entry: transport.latest, error: error))
      }
    } while transport.hasMore
    return problems
  }
}
