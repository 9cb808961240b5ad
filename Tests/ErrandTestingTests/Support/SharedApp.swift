import Errand
import ErrandMocks

/// What an app has: an agent for everything, with the platform's transport, made by whoever comes first.
enum SharedApp {
  static let agent = RequestAgent(baseURL: "https://shared.example", configuration: configuration)

  private static var configuration: AgentConfiguration {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock(autoAdvances: true))
    configuration.retryPolicy = .upTo(2)
    return configuration
  }
}
