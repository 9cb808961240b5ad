import Errand

final class ServerJournal: RequestJournal {
  private struct State: CountAwaitable {
    var requests: [ReceivedRequest] = []
    var unmatched: [ReceivedRequest] = []
    /// The number of requests removed by `reset`.
    var removedCount = 0
    var answering = 0
    var maximumConcurrency = 0
    var isClosed = false
    var waiters = CountWaiters()

    var awaitedCount: Int { isClosed ? .max : requests.count }
  }

  private struct Connections: CountAwaitable {
    var openedCount = 0
    var failedHandshakes: [String] = []
    var closedCount = 0
    var isClosed = false
    var waiters = CountWaiters()

    var awaitedCount: Int { isClosed ? .max : closedCount }
  }

  private let state = Locked(State())
  private let connections = Locked(Connections())

  var requests: [ReceivedRequest] { state.withLock { $0.requests } }
  var unmatched: [ReceivedRequest] { state.withLock { $0.unmatched } }
  var requestCount: Int { state.withLock { $0.requests.count } }
  var connectionCount: Int { connections.withLock { $0.openedCount } }
  var closedConnectionCount: Int { connections.withLock { $0.closedCount } }
  var failedHandshakes: [String] { connections.withLock { $0.failedHandshakes } }
  var maximumConcurrency: Int { state.withLock { $0.maximumConcurrency } }
  var isClosed: Bool { state.withLock { $0.isClosed } }

  func wait(for count: Int) async { await state.wait(for: count) }

  func waitForClosedConnections(_ count: Int) async { await connections.wait(for: count) }

  func connect() -> Int {
    connections.withLock { connections in
      connections.openedCount += 1
      return connections.openedCount
    }
  }

  func addFailedHandshake(_ reason: String) { connections.withLock { $0.failedHandshakes.append(reason) } }

  func disconnect() {
    let waiters = connections.withLock { connections in
      connections.closedCount += 1
      return connections.waiters.remove(reached: connections.closedCount)
    }
    for waiter in waiters { waiter.resume() }
  }

  func begin(_ message: RequestMessage, connection: Int, tls: ReceivedRequest.TLS?) -> ReceivedRequest {
    let (request, waiters) = state.withLock { state in
      let request = ReceivedRequest(
        number: state.removedCount + state.requests.count + 1, connection: connection, message: message,
        tls: tls
      )
      state.requests.append(request)
      state.answering += 1
      state.maximumConcurrency = max(state.maximumConcurrency, state.answering)
      return (request, state.waiters.remove(reached: state.requests.count))
    }
    for waiter in waiters { waiter.resume() }
    return request
  }

  func addUnmatched(_ request: ReceivedRequest) { state.withLock { $0.unmatched.append(request) } }

  func requests(numbered numbers: [Int]) -> [ReceivedRequest] {
    state.withLock { state in
      numbers.map { $0 - state.removedCount - 1 }.filter(state.requests.indices.contains)
        .map { state.requests[$0] }
    }
  }

  func reset() {
    state.withLock { state in
      state.removedCount += state.requests.count
      state.requests = []
      state.unmatched = []
    }
  }

  func end() { state.withLock { $0.answering -= 1 } }

  func close() {
    let waiters = state.withLock { state in
      state.isClosed = true
      return state.waiters.remove(reached: .max)
    }
    let others = connections.withLock { connections in
      connections.isClosed = true
      return connections.waiters.remove(reached: .max)
    }
    for waiter in waiters + others { waiter.resume() }
  }
}
