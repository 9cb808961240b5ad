extension ConnectionSettings.Pool {
  /// An open connection of a transport, at the time of a ``ConnectionSettings/Pool/Snapshot``.
  public struct Connection: Sendable, Hashable {
    /// The origin of the request that opened the connection, such as `https://api.example.com`.
    public var origin: String
    /// The proxy, such as `http://proxy.example:3128`; `nil` without a proxy.
    public var proxy: String?
    /// The address and port of the peer, or `unix:` and a path.
    public var remoteAddress: String
    /// The HTTP version, such as `HTTP/2`; `nil` before the end of the TLS handshake, and if unknown.
    public var httpVersion: String?
    /// The time since the transport opened the socket.
    public var age: Duration
    /// The time since the last request ended; `nil` for a connection that is in use or being made.
    public var idle: Duration?
    /// The number of running requests; 0 for an idle connection, and while the connection is made.
    public var requests: Int

    /// Creates a connection, for tests.
    public init(
      origin: String, proxy: String? = nil, remoteAddress: String, httpVersion: String? = nil, age: Duration,
      idle: Duration? = nil, requests: Int = 0
    ) {
      self.origin = origin
      self.proxy = proxy
      self.remoteAddress = remoteAddress
      self.httpVersion = httpVersion
      self.age = age
      self.idle = idle
      self.requests = requests
    }
  }

  /// The open connections of a transport, and the requests that wait for a connection.
  ///
  /// ```swift
  /// let snapshot = try await agent.transport.connections
  /// print(snapshot.connections.count, snapshot.idleCount, snapshot.waitingCount)
  /// ```
  public struct Snapshot: Sendable, Hashable {
    /// The open connections, sorted by origin, and by age from old to young.
    public var connections: [ConnectionSettings.Pool.Connection]
    /// The number of requests that wait for a connection, by origin.
    ///
    /// Such a request waits for a name lookup, a new connection, a handshake, or the HTTP/2 connection of
    /// another request. Requests that wait in the agent, or for a closure of a
    /// route, are not counted; see ``RequestAgent/waitingCount``.
    public var waiting: [String: Int]

    /// Creates a snapshot, for tests.
    public init(connections: [ConnectionSettings.Pool.Connection] = [], waiting: [String: Int] = [:]) {
      self.connections = connections
      self.waiting = waiting
    }

    /// The number of idle connections.
    public var idleCount: Int { connections.count { $0.idle != nil } }

    /// The number of requests that wait for a connection, over all origins.
    public var waitingCount: Int { waiting.values.reduce(0, +) }
  }
}

extension ConnectionSettings.Pool.Connection: CustomStringConvertible {
  /// A text such as `https://api.example.com at 192.0.2.7:443, HTTP/2, 12.500 s old, 3 requests`.
  public var description: String { cells.filter { !$0.isEmpty }.joined(separator: ", ").printed }

  private var cells: [String] {
    let place = "\(origin) at \(remoteAddress)"
    return [place, proxy.map { "via \($0)" } ?? "", httpVersion ?? "", "\(age.seconds) old", state]
  }

  private var state: String {
    if let idle { return "idle for \(idle.seconds)" }
    return requests == 1 ? "1 request" : requests == 0 ? "opening" : "\(requests) requests"
  }
}

extension ConnectionSettings.Pool.Snapshot: PrintedByDescription {
  /// A line with the counts, then a line for each connection and for each origin with waiting requests.
  public var description: String {
    let counts = "\(connections.count) connections, \(idleCount) idle, \(waitingCount) requests waiting"
    let waits = waiting.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value) waiting" }
    return ([counts] + connections.map(\.description) + waits).joined(separator: "\n").printed
  }
}

extension ConnectionSettings.Pool.Snapshot {
  mutating func add(_ other: Self) {
    connections = (connections + other.connections).sorted {
      $0.origin == $1.origin ? $0.age > $1.age : $0.origin < $1.origin
    }
    waiting.merge(other.waiting, uniquingKeysWith: +)
  }
}
