#if os(Linux)
import CCurl
import Foundation

extension CurlTransfer {
  /// Reports the ending with what is known about the transfer; libcurl must still have the handle.
  func end(_ outcome: Result<Void, any Error>) {
    var metrics = TransportSummary.Metrics(handle)
    way.note(in: &metrics)
    if let waitForHead { metrics.firstByte = min(max(waitForHead, metrics.firstByte), metrics.total) }
    metrics.resends = max(sending.count - 1, 0)
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

  /// True for a response over HTTP/2 without a length that no END_STREAM ended (RFC 9113 section 8.1): libcurl takes a reset stream for a
  /// whole body.
  private var hasOpenEnd: Bool { parser.endsWithStream && !sending.didEnd(driver) }

  /// Of a transfer whose body was given up, as nothing more came: the answer is whole, or the server is gone.
  ///
  /// Where a chunked answer came over a connection that was closed, it counts as cut.
  private var outcomeWithoutBody: Result<Void, any Error> {
    guard parser.isFinished else { return .failure(TransportError.closedBeforeAnswer) }
    let mayBeCut = body.isCut && parser.hasTransferEncoding
    return isShort || mayBeCut || hasOpenEnd ? .failure(cutBody(nil)) : .success(())
  }

  /// Whether a line grew beyond libcurl's own limit, 100 KiB, before it could be looked at here.
  ///
  /// Libcurl calls that a lack of memory, in newer versions a value too large.
  private func isOverlongLine(_ code: CCURLcode) -> Bool {
    let isTooLarge = code == CCURLE_OUT_OF_MEMORY || code == CCURLE_TOO_LARGE
    return isTooLarge && !parser.isFinished && handle.remoteAddress != nil
  }

  func error(for code: CCURLcode) -> TransportError {
    if code == CCURLE_COULDNT_CONNECT, let error = way.addressRefusal(of: peer) { return error }
    if let error = excess(code) ?? way.proxyRefusal { return error }
    // Libcurl asks for the body anew before it asks whether it may send: with such a method it may not.
    let method = exchange.request.request.method
    if code == CCURLE_SEND_FAIL_REWIND, !method.isIdempotent { return .mayHaveArrived(method) }
    var error = TransportError(code, peer: peer, handle: handle, proxy: way.proxy)
    error.proxyResponse = way.failedAnswer
    return error
  }

  private func excess(_ code: CCURLcode) -> TransportError? {
    TransportError.excess(of: exchange.request.request, code)
  }

  /// Whether the server left it with a GOAWAY: libcurl makes an error of that where it was the last on its connection.
  func wasLeft(with code: CCURLcode) -> Bool {
    code == CCURLE_HTTP2 && failure == nil && sending.isOverShared && !parser.isShared && sending.count < 3
      && handle.errorText.isEmpty && !exchange.isEnded
  }

  /// Whether there came not as many bytes as the head promised.
  private var isShort: Bool {
    parser.promisedLength.map { $0 != receivedBytes } ?? false
  }

  private func cutBody(_ code: CCURLcode?) -> TransportError {
    .cutBody(after: receivedBytes, of: parser.promisedLength, code: code)
  }

  /// Host and port, as errors name them.
  var peer: String { WebScheme.peer(of: exchange.request.request.url) }
}
#endif
