public import Errand

extension RequestAgent {
  /// Returns an agent with stubs: `RequestAgent.mocked(Stub(.get, "/users/7", answers: .json(…)))`.
  ///
  /// The base URL is `https://mocked.example`. A ``TestClock`` with `autoAdvances` replaces the clock of
  /// `configuration`, so waits before retries take no time.
  public static func mocked(
    _ stubs: Stub..., hooks: [any RequestHooks] = [], accessories: [any Accessory] = [],
    configuration: AgentConfiguration = AgentConfiguration()
  ) -> RequestAgent {
    mocked(stubs, hooks: hooks, accessories: accessories, configuration: configuration)
  }

  /// Returns an agent with a list of stubs.
  public static func mocked(
    _ stubs: [Stub], hooks: [any RequestHooks] = [], accessories: [any Accessory] = [],
    configuration: AgentConfiguration = AgentConfiguration()
  ) -> RequestAgent {
    let clock = TestClock(autoAdvances: true)
    var configuration = configuration
    configuration.clock = AgentClock(clock)
    return mocked(
      by: MockTransport(stubs, clock: clock), hooks: hooks, accessories: accessories,
      configuration: configuration)
  }

  /// Returns an agent with the base URL `https://mocked.example` and a transport.
  public static func mocked(
    by transport: MockTransport, hooks: [any RequestHooks] = [], accessories: [any Accessory] = [],
    configuration: AgentConfiguration = AgentConfiguration()
  ) -> RequestAgent {
    RequestAgent(
      baseURL: "https://mocked.example", transport: transport, hooks: hooks, accessories: accessories,
      configuration: configuration)
  }
}
