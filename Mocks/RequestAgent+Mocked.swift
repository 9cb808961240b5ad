public import Errand

extension RequestAgent {
  /// An agent that answers from stubs, in one line: `RequestAgent.mocked(Stub(.get, "/users/7", answers: .json(…)))`.
  ///
  /// Its base URL is `https://mocked.example`, its clock advances itself, so that retries take no time, and everything but the wire runs as in
  /// production. Of the configuration it takes all but the clock. To see what was sent, or to have a clock of your own, make a
  /// ``MockTransport`` and take ``mocked(by:hooks:accessories:configuration:)``.
  ///
  /// In a test with the trait `.mocked(…)` its own stubs are asked first, and those of the trait what they do not answer.
  public static func mocked(
    _ stubs: Stub..., hooks: [any RequestHooks] = [], accessories: [any Accessory] = [],
    configuration: AgentConfiguration = AgentConfiguration()
  ) -> RequestAgent {
    mocked(stubs, hooks: hooks, accessories: accessories, configuration: configuration)
  }

  /// The same of a list, such as `[Stub(…), Stub(…)].under("https://mocked.example/v1")`.
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

  /// An agent of base URL `https://mocked.example` that answers from a transport of yours.
  public static func mocked(
    by transport: MockTransport, hooks: [any RequestHooks] = [], accessories: [any Accessory] = [],
    configuration: AgentConfiguration = AgentConfiguration()
  ) -> RequestAgent {
    RequestAgent(
      baseURL: "https://mocked.example", transport: transport, hooks: hooks, accessories: accessories,
      configuration: configuration)
  }
}
