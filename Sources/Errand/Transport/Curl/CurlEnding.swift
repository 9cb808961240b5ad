#if os(Linux)
import CCurl
import Foundation

/// The outcome of an ended transfer, from libcurl's result and from checks that libcurl does not
/// make.
struct CurlEnding {
  let transfer: CurlTransfer

  init(_ transfer: CurlTransfer) { self.transfer = transfer }

  func outcome(of code: CCURLcode) -> Result<Void, any Error> {
    if let failure = transfer.failure { return .failure(failure) }
    if transfer.endsWithHead && transfer.parser.isFinished { return .success(()) }
    if transfer.body.isGivenUp { return outcomeWithoutBody }
    if code == CCURLE_PARTIAL_FILE { return .failure(transfer.parser.isFinished ? cutBody(code) : .cutHead) }
    if transfer.handle.count(CCURLINFO_REQUEST_SIZE) == 0, let error = excess(code) { return .failure(error) }
    if isOverlongLine(code) {
      return .failure(TransportError.overlongLine(code))
    }
    guard code == CCURLE_OK else { return .failure(error(for: code)) }
    guard transfer.parser.isFinished else { return .failure(TransportError.cutHead) }
    if transfer.tlsChecks.hasCloseNotify == false {
      return .failure(TransportError.missingGoodbye(of: transfer.peer))
    }
    return isShort || hasOpenEnd ? .failure(cutBody(nil)) : .success(())
  }

  /// True for an HTTP/2 response without a length whose stream ended without END_STREAM (RFC 9113
  /// section 8.1).
  ///
  /// libcurl regards a stream reset with `NO_ERROR` as a complete body.
  private var hasOpenEnd: Bool { transfer.parser.endsWithStream && !transfer.sending.didEnd(transfer.driver) }

  /// The outcome of a transfer after the driver has ended the upload early.
  ///
  /// A chunked response counts as truncated if the connection was closed.
  private var outcomeWithoutBody: Result<Void, any Error> {
    guard transfer.parser.isFinished else { return .failure(TransportError.closedBeforeAnswer) }
    let mayBeCut = transfer.body.isCut && transfer.parser.hasTransferEncoding
    return isShort || mayBeCut || hasOpenEnd ? .failure(cutBody(nil)) : .success(())
  }

  /// Returns true if a line exceeded libcurl's limit of 100 KiB before the parser received the
  /// line.
  ///
  /// libcurl reports the excess as a lack of memory, or in newer versions as a value too large.
  private func isOverlongLine(_ code: CCURLcode) -> Bool {
    let isTooLarge = code == CCURLE_OUT_OF_MEMORY || code == CCURLE_TOO_LARGE
    return isTooLarge && !transfer.parser.isFinished && transfer.handle.remoteAddress != nil
  }

  func error(for code: CCURLcode) -> TransportError {
    if code == CCURLE_COULDNT_CONNECT, let error = transfer.route.addressRefusal(of: transfer.peer) {
      return error
    }
    if let error = excess(code) ?? transfer.route.proxyRefusal { return error }
    // Before libcurl repeats a request, libcurl rewinds the body, and only then asks for permission to
    // send. After a failed rewind, libcurl does not ask. A request with a non-idempotent method may have
    // reached the server, and gets the error for this case.
    let method = transfer.exchange.request.request.method
    if code == CCURLE_SEND_FAIL_REWIND, !method.isIdempotent { return .mayHaveArrived(method) }
    var error = TransportError(
      code, peer: transfer.peer, handle: transfer.handle, proxy: transfer.route.proxy)
    error.proxyResponse = transfer.route.failedAnswer
    return error
  }

  private func excess(_ code: CCURLcode) -> TransportError? {
    TransportError.excess(of: transfer.exchange.request.request, code)
  }

  /// Returns true if the server left the request unprocessed with a GOAWAY.
  ///
  /// libcurl itself repeats such a request, unless the request was the last on its connection.
  func wasLeft(with code: CCURLcode) -> Bool {
    code == CCURLE_HTTP2 && transfer.failure == nil && transfer.sending.isOverShared
      && !transfer.parser.isShared && transfer.sending.count < 3
      && transfer.handle.errorText.isEmpty && !transfer.exchange.isEnded
  }

  private var isShort: Bool {
    transfer.parser.promisedLength.map { $0 != transfer.receivedBytes } ?? false
  }

  private func cutBody(_ code: CCURLcode?) -> TransportError {
    .cutBody(after: transfer.receivedBytes, of: transfer.parser.promisedLength, code: code)
  }
}
#endif
