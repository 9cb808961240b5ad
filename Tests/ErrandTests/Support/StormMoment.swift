struct StormMoment: Sendable {
  enum Place: Sendable {
    /// The task is cancelled before the call.
    case beforeTheCall
    /// A hook cancels the handle before the request is sent.
    case inHook
    /// Another thread cancels the handle after a number of events of the storm.
    case later(events: Int)
    case never
  }

  let index: Int
  let path: String
  let place: Place

  init(index: Int, round: Int, random: inout SeededGenerator) {
    self.index = index
    path = "/\(random.pick(["fast", "slow", "drip", "busy", "lost"]))/\(round)-\(index)"
    switch random.below(10) {
    case 0: place = .beforeTheCall
    case 1: place = .inHook
    case 2: place = .never
    default: place = .later(events: random.below(2_000))
    }
  }

  var isBeforeSending: Bool {
    switch place {
    case .beforeTheCall, .inHook: true
    case .later, .never: false
    }
  }
}
