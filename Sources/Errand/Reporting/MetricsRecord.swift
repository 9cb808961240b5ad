/// What a transport measured, as it is written for machines.
struct MetricsRecord: Codable {
  private var nameLookup: Seconds
  private var connect: Seconds
  private var secureConnect: Seconds
  private var firstByte: Seconds
  private var total: Seconds
  private var bytesSent: Int64
  private var bytesReceived: Int64
  private var isConnectionReused: Bool
  private var resends: Int
  private var httpVersion: String?
  private var remoteAddress: String?

  init(_ metrics: TransportMetrics) {
    nameLookup = Seconds(metrics.nameLookup)
    connect = Seconds(metrics.connect)
    secureConnect = Seconds(metrics.secureConnect)
    firstByte = Seconds(metrics.firstByte)
    total = Seconds(metrics.total)
    bytesSent = metrics.bytesSent
    bytesReceived = metrics.bytesReceived
    isConnectionReused = metrics.isConnectionReused
    resends = metrics.resends
    httpVersion = metrics.httpVersion
    remoteAddress = metrics.remoteAddress
  }

  var metrics: TransportMetrics {
    var metrics = TransportMetrics()
    metrics.nameLookup = nameLookup.duration
    metrics.connect = connect.duration
    metrics.secureConnect = secureConnect.duration
    metrics.firstByte = firstByte.duration
    metrics.total = total.duration
    metrics.bytesSent = bytesSent
    metrics.bytesReceived = bytesReceived
    metrics.isConnectionReused = isConnectionReused
    metrics.resends = resends
    metrics.httpVersion = httpVersion
    metrics.remoteAddress = remoteAddress
    return metrics
  }
}
