#if os(Linux)
import CCurl
import Foundation

extension CurlTransfer {
  /// Reports the ending with what is known about the transfer; libcurl must still have the handle.
  func end(_ outcome: Result<Void, any Error>) {
    var metrics = TransportMetrics(handle)
    metrics.resends = max(sendings - 1, 0)
    let summary = TransportSummary(trailers: parser.trailers, metrics: metrics)
    report {
      $0.ending = outcome
      $0.summary = summary
    }
  }

  /// What libcurl's result means, with the checks libcurl does not make.
  func outcome(of code: CCURLcode) -> Result<Void, any Error> {
    if let failure { return .failure(failure) }
    if endsWithHead && parser.isFinished { return .success(()) }
    if isBodyGivenUp { return outcomeWithoutBody }
    if code == CCURLE_PARTIAL_FILE { return .failure(parser.isFinished ? cutBody(code) : Self.cutHead) }
    if handle.count(CCURLINFO_REQUEST_SIZE) == 0, let error = excess(code) { return .failure(error) }
    if isOverlongLine(code) {
      return .failure(
        TransportError(
          .invalidResponse, "a line of the head of the response is longer than libcurl takes",
          code: Int(code.rawValue)))
    }
    guard code == CCURLE_OK else { return .failure(error(for: code)) }
    guard parser.isFinished else { return .failure(Self.cutHead) }
    if hasGoodbye == false {
      return .failure(
        TransportError(
          .connectionLost,
          "the connection to \(peer) was closed without the goodbye of TLS (close_notify), which alone tells that a body"
            + " without a length is whole"))
    }
    return isShort ? .failure(cutBody(nil)) : .success(())
  }

  /// Of a transfer whose body was given up, as nothing more came: the answer is whole, or the server is gone.
  ///
  /// Of a chunked answer on a connection that was closed nobody can tell.
  private var outcomeWithoutBody: Result<Void, any Error> {
    guard parser.isFinished else {
      return .failure(
        TransportError(
          .connectionLost, "the connection was closed before the body was sent and an answer came"))
    }
    let mayBeCut = isCut && parser.headers.contains("Transfer-Encoding")
    return isShort || mayBeCut ? .failure(cutBody(nil)) : .success(())
  }

  /// Whether a line grew beyond libcurl's own limit, 100 KiB, before it could be looked at here.
  ///
  /// Libcurl calls that a lack of memory, in newer versions a value too large.
  private func isOverlongLine(_ code: CCURLcode) -> Bool {
    let isTooLarge = code == CCURLE_OUT_OF_MEMORY || code == CCURLE_TOO_LARGE
    return isTooLarge && !parser.isFinished && handle.remoteAddress != nil
  }

  func error(for code: CCURLcode) -> TransportError {
    excess(code) ?? TransportError(code, peer: peer, handle: handle)
  }

  /// Of a request that is too long for libcurl, which sends heads up to 1 MiB and takes URLs up to 8 MB; `nil` of others.
  private func excess(_ code: CCURLcode) -> TransportError? {
    let codes = [CCURLE_OUT_OF_MEMORY, CCURLE_TOO_LARGE, CCURLE_BAD_FUNCTION_ARGUMENT]
    guard codes.contains(code) else { return nil }
    let request = exchange.request.request
    let url = request.url.absoluteString.utf8.count
    let fields = request.headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    guard url + fields > 900_000 else { return nil }
    return url > fields
      ? TransportError(
        .invalidURL, "the URL is longer than libcurl sends, \(url) bytes", code: Int(code.rawValue))
      : TransportError(
        .invalidRequest, "the header fields of the request are longer than libcurl sends, \(fields) bytes",
        code: Int(code.rawValue))
  }

  /// Whether there came not as many bytes as the head promised.
  private var isShort: Bool {
    guard let promised = parser.contentLength, receivedBytes != promised else { return false }
    return exchange.request.request.method != .head && ![204, 304].contains(parser.status.code)
      && !parser.headers.contains("Transfer-Encoding")
  }

  private static let cutHead = TransportError(
    .connectionLost, "the connection was closed inside the head of the response")

  private func cutBody(_ code: CCURLcode?) -> TransportError {
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
  var peer: String {
    let url = exchange.request.request.url
    let host = url.host() ?? ""
    let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
    return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
#endif
