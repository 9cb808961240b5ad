#if os(Linux)
import CCurl
import Foundation

struct CurlEnding {
  let transfer: CurlTransfer

  init(_ transfer: CurlTransfer) { self.transfer = transfer }

  func outcome(of code: CCURLcode) -> Result<Void, any Error> {
    if let failure = transfer.failure { return .failure(failure) }
    if transfer.endsWithHead && transfer.parser.isFinished { return .success(()) }
    if transfer.body.isAbandoned { return outcomeWithoutBody }
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

  /// True if an HTTP/2 body without a length is not known to have ended with END_STREAM (RFC 9113 section
  /// 8.1).
  ///
  /// libcurl may regard a body as complete if the server has reset the stream with `NO_ERROR`.
  private var hasOpenEnd: Bool { transfer.parser.endsWithStream && !transfer.sending.didEnd(transfer.driver) }

  private var outcomeWithoutBody: Result<Void, any Error> {
    guard transfer.parser.isFinished else { return .failure(TransportError.closedBeforeAnswer) }
    let mayBeCut = transfer.body.isCut && transfer.parser.hasTransferEncoding
    return isShort || mayBeCut || hasOpenEnd ? .failure(cutBody(nil)) : .success(())
  }

  private func isOverlongLine(_ code: CCURLcode) -> Bool {
    let isTooLarge = code == CCURLE_OUT_OF_MEMORY || code == CCURLE_TOO_LARGE
    return isTooLarge && !transfer.parser.isFinished && transfer.handle.remoteAddress != nil
  }

  func error(for code: CCURLcode) -> TransportError {
    if code == CCURLE_COULDNT_CONNECT, let error = transfer.route.addressRefusal(of: transfer.peer) {
      return error
    }
    if let error = excess(code) ?? transfer.route.proxyRefusal { return error }
    if code == CCURLE_SEND_FAIL_REWIND || transfer.body.isLost { return unrepeatableBody }
    if let error = lostStream(code) { return error }
    let clauseCode = code == CCURLE_SEND_ERROR && wasSent ? CCURLE_RECV_ERROR : code
    var error = TransportError(
      clauseCode, peer: transfer.peer + transfer.route.clause, handle: transfer.handle,
      proxy: transfer.route.proxy)
    error.code = Int(code.rawValue)
    error.proxyResponse = transfer.route.failedAnswer
    return error
  }

  /// The error if the request would have to be repeated, but the body cannot be sent again.
  var unrepeatableBody: TransportError {
    let method = transfer.exchange.request.request.method
    if transfer.sending.isRefused { return .refusedBody(by: transfer.peer) }
    if !method.isIdempotent { return .mayHaveArrived(method) }
    return TransportError(CCURLE_SEND_FAIL_REWIND, peer: transfer.peer, handle: transfer.handle)
  }

  private static let breaks = [CCURLE_HTTP2, CCURLE_HTTP2_STREAM, CCURLE_RECV_ERROR, CCURLE_SEND_ERROR]

  private func lostStream(_ code: CCURLcode) -> TransportError? {
    guard Self.breaks.contains(code), !transfer.parser.isShared else { return nil }
    if transfer.sending.isRefused {
      if !transfer.body.isReplayable { return .refusedBody(by: transfer.peer) }
      return .refusedStream(by: transfer.peer, count: transfer.sending.count)
    }
    guard transfer.sending.hasStream, transfer.sending.isOverReused else { return nil }
    switch code {
    case CCURLE_HTTP2_STREAM: return nil
    // `CURLE_HTTP2` without a text usually means that the server closed the connection.
    case CCURLE_HTTP2 where transfer.sending.isAbandoned || !transfer.handle.errorText.isEmpty: return nil
    default: return transfer.sending.refusalToRepeat(transfer)
    }
  }

  /// True if the request is known to be sent over an HTTP/2 stream.
  ///
  /// A later send error usually concerns control frames.
  private var wasSent: Bool { transfer.sending.hasStream && transfer.uploadWatch.isCompletelySent }

  private func excess(_ code: CCURLcode) -> TransportError? {
    TransportError.excess(of: transfer.exchange.request.request, code)
  }

  /// Returns true if Errand may repeat the request after an HTTP/2 failure.
  ///
  /// libcurl repeats only some requests.
  func isRepeatable(after code: CCURLcode) -> Bool {
    let isBroken = transfer.sending.hasStream && transfer.sending.isOverReused && Self.breaks.contains(code)
    guard transfer.sending.isRefused || isBroken else { return false }
    return transfer.failure == nil && !transfer.parser.isShared && !transfer.body.isAbandoned
      && !transfer.exchange.isEnded && transfer.sending.refusalToRepeat(transfer) == nil
  }

  /// True if libcurl's error text says that the server reset the stream; `false` with libcurl before 8.19.
  var isReset: Bool { transfer.handle.errorText.contains("reset by server") }

  private var isShort: Bool {
    transfer.parser.promisedLength.map { $0 != transfer.receivedBytes } ?? false
  }

  private func cutBody(_ code: CCURLcode?) -> TransportError {
    .cutBody(after: transfer.receivedBytes, of: transfer.parser.promisedLength, code: code)
  }
}
#endif
