import Errand

/// What the phases of an exchange took, in milliseconds; -1 for a phase that did not happen or is not known.
struct HARTimings: Codable, Sendable {
  var blocked = -1.0
  var dns = -1.0
  /// TLS included.
  var connect = -1.0
  var ssl = -1.0
  var send = 0.0
  var wait = 0.0
  var receive = 0.0

  /// The whole; TLS is counted with the connection.
  var total: Double { [blocked, dns, connect, send, wait, receive].filter { $0 > 0 }.reduce(0, +) }
}

extension HARTimings {
  private enum CodingKeys: CodingKey { case blocked, dns, connect, ssl, send, wait, receive }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    blocked = fields.value(.blocked, or: -1)
    dns = fields.value(.dns, or: -1)
    connect = fields.value(.connect, or: -1)
    ssl = fields.value(.ssl, or: -1)
    send = fields.value(.send, or: 0)
    wait = fields.value(.wait, or: 0)
    receive = fields.value(.receive, or: 0)
  }

  /// The phases as a transport measured them.
  init(_ metrics: TransportMetrics) {
    let connected = max(metrics.connect, metrics.secureConnect)
    dns = Self.phase(from: .zero, to: metrics.nameLookup)
    connect = Self.phase(from: metrics.nameLookup, to: connected)
    ssl = Self.phase(from: metrics.connect, to: metrics.secureConnect)
    wait = max(Self.phase(from: max(connected, metrics.nameLookup), to: metrics.firstByte), 0)
    receive = max(Self.phase(from: metrics.firstByte, to: metrics.total), 0)
  }

  private static func phase(from start: Duration, to end: Duration) -> Double {
    end > start ? (end - start) / .milliseconds(1) : -1
  }
}
