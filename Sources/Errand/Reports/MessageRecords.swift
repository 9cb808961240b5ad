import Foundation

struct RequestRecord: Codable {
  private var method: String
  private var url: HiddenURL
  private var headers: [FieldRecord]
  /// `nil`: no known trailers, or a record of an earlier version.
  private var trailers: [FieldRecord]?

  init(_ request: HTTPRequest, redaction: Redaction) {
    method = request.method.token
    url = HiddenURL(request.url, redaction: redaction)
    headers = FieldRecord.list(request.headers, redaction: redaction)
    let fields = request.trailers.fields
    trailers = fields.fields.isEmpty ? nil : FieldRecord.list(fields, redaction: redaction)
  }

  var request: HTTPRequest {
    get throws {
      var request = HTTPRequest(url: try url.url, method: .init(method), headers: .init(headers))
      request.trailers = RequestTrailers(.init(trailers ?? []))
      return request
    }
  }
}

struct ResponseRecord: Codable {
  private var status: Int
  private var headers: [FieldRecord]
  private var trailers: [FieldRecord]
  private var url: HiddenURL?

  init(_ response: HTTPResponse, redaction: Redaction) {
    status = response.status.code
    headers = FieldRecord.list(response.headers, redaction: redaction)
    trailers = FieldRecord.list(response.trailers, redaction: redaction)
    url = response.url.map { HiddenURL($0, redaction: redaction) }
  }

  var response: HTTPResponse {
    get throws {
      var response = HTTPResponse(status: .init(status), headers: .init(headers), url: try url?.url)
      response.trailers = .init(trailers)
      return response
    }
  }
}

struct RedirectRecord: Codable {
  private var from: HiddenURL
  private var status: Int
  private var to: HiddenURL
  private var method: String
  /// `nil`: unknown, or a record of an earlier version.
  private var sentMethod: String?
  /// `nil`: a record of an earlier version.
  private var followed: Seconds?

  init(_ redirect: AttemptReport.Redirect, redaction: Redaction) {
    from = HiddenURL(redirect.from, redaction: redaction)
    status = redirect.status.code
    to = HiddenURL(redirect.to, redaction: redaction)
    method = redirect.method.token
    sentMethod = redirect.sent.method?.token
    followed = Seconds(redirect.followed)
  }

  var report: AttemptReport.Redirect {
    get throws {
      AttemptReport.Redirect(
        from: try from.url, status: .init(status), to: try to.url, method: .init(method),
        followed: followed?.duration ?? .zero, sent: SentRequest(method: sentMethod.map { HTTPMethod($0) }))
    }
  }
}

struct FieldRecord: Codable {
  var name: String
  var value: String

  static func list(_ headers: HTTPHeaders, redaction: Redaction) -> [FieldRecord] {
    redaction.headers(headers).fields.map { FieldRecord(name: $0.name, value: $0.value) }
  }
}

extension HTTPHeaders {
  fileprivate init(_ fields: [FieldRecord]) {
    self.init()
    for field in fields { add(field.name, field.value) }
  }
}

private struct HiddenURL: Codable {
  private var text: String

  init(_ url: URL, redaction: Redaction) {
    text = redaction.url(url)
  }

  var url: URL {
    get throws {
      if let url = PrintedURL.url(from: text) { return url }
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "“\(text)” is not a URL"))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
  }
}

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
  private var tls: TLSRecord?
  private var proxy: ProxyRecord?

  init(_ metrics: TransportSummary.Metrics, redaction: Redaction) {
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
    tls = metrics.tls.map(TLSRecord.init)
    proxy = metrics.proxy.map { ProxyRecord($0, response: metrics.proxyResponse, redaction: redaction) }
  }

  var metrics: TransportSummary.Metrics {
    get throws {
      var metrics = measured
      metrics.tls = tls?.details
      metrics.proxy = proxy?.proxy
      metrics.proxyResponse = try proxy?.response?.response
      return metrics
    }
  }

  private var measured: TransportSummary.Metrics {
    var metrics = TransportSummary.Metrics()
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

private struct TLSRecord: Codable {
  private var version: String
  private var cipherSuite: String?
  private var applicationProtocol: String?
  private var certificates: [Data]

  init(_ details: TransportSummary.Metrics.TLSDetails) {
    (version, cipherSuite) = (details.version, details.cipherSuite)
    (applicationProtocol, certificates) = (details.applicationProtocol, details.certificates)
  }

  var details: TransportSummary.Metrics.TLSDetails {
    TransportSummary.Metrics.TLSDetails(
      version: version, cipherSuite: cipherSuite, applicationProtocol: applicationProtocol,
      certificates: certificates)
  }
}

private struct ProxyRecord: Codable {
  let proxy: String
  let response: ResponseRecord?

  init(_ proxy: String, response: HTTPResponse?, redaction: Redaction) {
    self.proxy = redaction.text(proxy)
    self.response = response.map { ResponseRecord($0, redaction: redaction) }
  }
}

struct Seconds: Codable {
  var duration: Duration

  init(_ duration: Duration) { self.duration = duration }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode((duration / .nanoseconds(1)).rounded() / 1e9)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let seconds = try container.decode(Double.self)
    // `Duration` overflows beyond 1.7e20 seconds.
    guard abs(seconds) < 1e20 else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\(seconds) seconds are too many")
    }
    duration = abs(seconds) < 9e9 ? .nanoseconds(Int64((seconds * 1e9).rounded())) : .seconds(seconds)
  }
}
