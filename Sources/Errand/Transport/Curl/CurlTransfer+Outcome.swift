#if os(Linux)
import CCurl
import Foundation

extension CurlTransfer {
  /// Reports the ending with what is known about the transfer; libcurl must still have the handle.
  func end(_ outcome: Result<Void, any Error>) {
    let summary = TransportSummary(trailers: parser.trailers, metrics: TransportMetrics(handle))
    report {
      $0.ending = outcome
      $0.summary = summary
    }
  }

  /// What libcurl's result means, with the checks libcurl does not make.
  func outcome(of code: CURLcode) -> Result<Void, any Error> {
    if let failure { return .failure(failure) }
    if endsWithHead && parser.isFinished { return .success(()) }
    if code == CURLE_PARTIAL_FILE { return .failure(cutBody(code)) }
    guard code == CURLE_OK else { return .failure(error(for: code)) }
    guard parser.isFinished else {
      return .failure(
        TransportError(.connectionLost, "the connection was closed inside the head of the response"))
    }
    return isShort ? .failure(cutBody(nil)) : .success(())
  }

  func error(for code: CURLcode) -> TransportError {
    TransportError(code, peer: peer, handle: handle)
  }

  /// Whether fewer bytes came than the head promised.
  private var isShort: Bool {
    guard let promised = parser.contentLength, exchange.request.request.method != .head,
      ![101, 204, 304].contains(parser.status.code), !parser.headers.contains("Transfer-Encoding")
    else { return false }
    return receivedBytes < promised
  }

  private func cutBody(_ code: CURLcode?) -> TransportError {
    let code = code.map { Int($0.rawValue) }
    guard let promised = parser.contentLength, !parser.headers.contains("Transfer-Encoding") else {
      return TransportError(
        .connectionLost, "the connection was closed inside the body, after \(receivedBytes) bytes",
        code: code)
    }
    return TransportError(
      .connectionLost,
      "the connection was closed after \(receivedBytes) of the \(promised) bytes of the body",
      code: code)
  }

  /// Host and port, as errors name them.
  private var peer: String {
    let url = exchange.request.request.url
    let host = url.host() ?? ""
    let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
    return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
#endif
