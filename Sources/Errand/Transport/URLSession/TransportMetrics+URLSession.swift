import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TransportSummary.Metrics {
  init(_ transaction: URLSessionTaskTransactionMetrics) {
    self.init()
    let start = transaction.fetchStartDate
    func time(_ date: Date?) -> Duration {
      guard let start, let date else { return .zero }
      return .seconds(max(date.timeIntervalSince(start), 0))
    }
    nameLookup = time(transaction.domainLookupEndDate)
    connect = time(transaction.connectEndDate)
    secureConnect = time(transaction.secureConnectionEndDate)
    firstByte = time(transaction.responseStartDate)
    total = time(transaction.responseEndDate)
    bytesSent = transaction.countOfRequestHeaderBytesSent + transaction.countOfRequestBodyBytesSent
    bytesReceived =
      transaction.countOfResponseHeaderBytesReceived + transaction.countOfResponseBodyBytesReceived
    isConnectionReused = transaction.isReusedConnection
    httpVersion = transaction.networkProtocolName.flatMap(Self.version)
    remoteAddress = transaction.remoteAddress.map { address in
      let host = address.contains(":") ? "[\(address)]" : address
      return transaction.remotePort.map { "\(host):\($0)" } ?? host
    }
  }

  /// Returns the HTTP version for an ALPN name (RFC 7301 section 6).
  static func version(_ name: String) -> String? {
    switch name.lowercased() {
    case "http/1.0": "HTTP/1.0"
    case "http/1.1": "HTTP/1.1"
    case "h2": "HTTP/2"
    case "h3": "HTTP/3"
    default: nil
    }
  }
}
