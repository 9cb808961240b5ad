import Errand
import ServiceLifecycle

/// Ends an agent with the services of a `ServiceGroup`.
///
/// List the services that send requests after the agent's service, because a group ends its services in reverse order.
struct AgentService {
  let agent: RequestAgent
  /// The longest wait for the requests in flight.
  var drainTime = Duration.seconds(20)
}

extension AgentService: Service {
  func run() async throws {
    // A cancellation of the group ends the wait too.
    try? await gracefulShutdown()
    await agent.drain(within: drainTime)
  }
}
