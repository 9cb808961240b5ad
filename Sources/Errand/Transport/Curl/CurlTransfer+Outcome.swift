#if os(Linux)
import CCurl
import Foundation

extension CurlTransfer {
  /// Reports the end of the transfer with its metrics.
  ///
  /// libcurl must still have the handle.
  func end(_ outcome: Result<Void, any Error>) {
    var metrics = TransportSummary.Metrics(handle)
    route.note(in: &metrics)
    if let waitForHead { metrics.firstByte = min(max(waitForHead, metrics.firstByte), metrics.total) }
    metrics.resends = max(sending.count - 1, 0)
    let summary = TransportSummary(trailers: parser.trailers, metrics: metrics)
    report {
      $0.ending = outcome
      $0.summary = summary
    }
  }

  /// Returns the outcome for libcurl's result, with additional checks that libcurl does not make.
  func outcome(of code: CCURLcode) -> Result<Void, any Error> {
    if let failure { return .failure(failure) }
    if endsWithHead && parser.isFinished { return .success(()) }
    if body.isGivenUp { return outcomeWithoutBody }
    if code == CCURLE_PARTIAL_FILE { return .failure(parser.isFinished ? cutBody(code) : .cutHead) }
    if handle.count(CCURLINFO_REQUEST_SIZE) == 0, let error = excess(code) { return .failure(error) }
    if isOverlongLine(code) {
      return .failure(TransportError.overlongLine(code))
    }
    guard code == CCURLE_OK else { return .failure(error(for: code)) }
    guard parser.isFinished else { return .failure(TransportError.cutHead) }
    if tlsChecks.hasGoodbye == false { return .failure(TransportError.missingGoodbye(of: peer)) }
    return isShort || hasOpenEnd ? .failure(cutBody(nil)) : .success(())
  }

  /// True for an HTTP/2 response without a length that no END_STREAM ended (RFC 9113 section 8.1).
  ///
  /// libcurl regards a reset stream as a complete body.
  private var hasOpenEnd: Bool { parser.endsWithStream && !sending.didEnd(driver) }

  /// The outcome of a transfer whose upload was ended early: the response is complete, or the server is gone.
  ///
  /// A chunked response over a closed connection counts as truncated.
  private var outcomeWithoutBody: Result<Void, any Error> {
    guard parser.isFinished else { return .failure(TransportError.closedBeforeAnswer) }
    let mayBeCut = body.isCut && parser.hasTransferEncoding
    return isShort || mayBeCut || hasOpenEnd ? .failure(cutBody(nil)) : .success(())
  }

  /// Returns true if a line exceeded libcurl's limit of 100 KiB before the parser received the line.
  ///
  /// libcurl reports the excess as a lack of memory, and newer versions report a value too large.
  private func isOverlongLine(_ code: CCURLcode) -> Bool {
    let isTooLarge = code == CCURLE_OUT_OF_MEMORY || code == CCURLE_TOO_LARGE
    return isTooLarge && !parser.isFinished && handle.remoteAddress != nil
  }

  func error(for code: CCURLcode) -> TransportError {
    if code == CCURLE_COULDNT_CONNECT, let error = route.addressRefusal(of: peer) { return error }
    if let error = excess(code) ?? route.proxyRefusal { return error }
    // libcurl rewinds the body before it asks for permission to send again. For a non-idempotent method, the
    // permission would be refused.
    let method = exchange.request.request.method
    if code == CCURLE_SEND_FAIL_REWIND, !method.isIdempotent { return .mayHaveArrived(method) }
    var error = TransportError(code, peer: peer, handle: handle, proxy: route.proxy)
    error.proxyResponse = route.failedAnswer
    return error
  }

  private func excess(_ code: CCURLcode) -> TransportError? {
    TransportError.excess(of: exchange.request.request, code)
  }

  /// Returns true if the server left the request unprocessed with a GOAWAY.
  ///
  /// libcurl reports an error if the request was the last of its connection.
  func wasLeft(with code: CCURLcode) -> Bool {
    code == CCURLE_HTTP2 && failure == nil && sending.isOverShared && !parser.isShared && sending.count < 3
      && handle.errorText.isEmpty && !exchange.isEnded
  }

  /// True if the number of received bytes differs from the length in the head.
  private var isShort: Bool {
    parser.promisedLength.map { $0 != receivedBytes } ?? false
  }

  private func cutBody(_ code: CCURLcode?) -> TransportError {
    .cutBody(after: receivedBytes, of: parser.promisedLength, code: code)
  }

  /// Host and port for error messages.
  var peer: String { WebScheme.peer(of: exchange.request.request.url) }
}
#endif
