import Errand
import ErrandMocks

/// A typical app with one shared agent, created at first use, with the platform's transport.
enum SharedApp {
  static let agent = RequestAgent(baseURL: "https://shared.example", configuration: configuration)

  private static var configuration: AgentConfiguration {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock(autoAdvances: true))
    configuration.retryPolicy = .upTo(2)
    return configuration
  }
}
