#if os(Linux)
import CCurl
import Foundation

// `takeLine` and `takeBody` return the number of taken bytes; `takeBody` may return a pause instead. With
// another number, such as 0, libcurl ends the transfer.
extension CurlTransfer {
  func takeLine(_ line: UnsafeRawBufferPointer) -> Int {
    if headGuard?.endsWithLine(line, isOfProxy: route.isOpening) == true { headGuard = nil }
    do {
      if route.isOpening {
        // The bytes come from the proxy, so they do not count as the first bytes of the response.
        noteProgress()
        try route.take(line, limits: exchange.request.limits)
        return line.count
      }
      noteReceived(line.count)
      if !uploadWatch.isEmpty, CurlHeadParser.isStatusLine(line) { uploadWatch.noteHead(at: driver.now) }
      let isComplete = try parser.take(line)
      if parser.isShared, !tlsChecks.hasAgreed { try tlsChecks.confirmHTTP2(on: handle) }
      guard isComplete else { return line.count }
    } catch {
      failure = error
      return 0
    }
    let head = HTTPResponse(
      status: parser.status, headers: parser.headers, body: Data(),
      location: exchange.request.request.location)
    if parser.status == 407, let refusal = route.refusal(by: head, isSecure: handle.isSecure) {
      failure = refusal
      return 0
    }
    report(head)
    if let counter = exchange.request.counter { begin(counter) }
    noteHeard()
    if parser.status == 417, expectsContinue { endsWithHead = true }
    if handle.isSecure, parser.endsWithConnection { tlsChecks.expectGoodbye(on: handle) }
    return endsWithHead ? 0 : line.count
  }

  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    if headGuard != nil { return inspect(bytes) }
    noteProgress()
    if pauses.isSuspended || pausesReceiving() {
      keepConnection()
      return Int(CCURL_WRITEFUNC_PAUSE)
    }
    noteReceived(bytes.count)
    noteHeard()
    let length = parser.contentLength
    let rest = length.map { $0 - receivedBytes }
    receivedBytes += Int64(bytes.count)
    exchange.request.counter?.received(receivedBytes, of: length)
    if exchange.request.isBulk {
      report { $0.appendInBlocks(bytes) }
    } else if let length, isReceivedWhole(length) {
      report(bytes, ofBody: Int(length))
    } else {
      report { $0.append(bytes, remaining: rest) }
    }
    if handle.isSecure, receivedBytes == parser.contentLength, !parser.isShared {
      CurlTLSChecks.forbidReuseIfUnread(of: handle)
    }
    return bytes.count
  }

  private func isReceivedWhole(_ length: Int64) -> Bool {
    TransferNews.wholeSizes.contains(length) && parser.status == 200
      && length <= exchange.request.limits.bodySize ?? .max
  }

  /// Takes the connection of a paused transfer out of the idle connections.
  ///
  /// libcurl may reuse an idle connection without a report, so the table of sockets may still list the
  /// connection as idle.
  private func keepConnection() {
    guard !isShared, let peer = handle.remoteAddress else { return }
    if let taken = driver.sockets.takeIdle(from: localPort, to: peer) { place = taken }
  }

  private func begin(_ counter: TransportRequest.Counter) {
    body.reportShort(to: counter)
    let isEmpty = exchange.request.request.method == .head || parser.status == 204 || parser.status == 304
    counter.received(0, of: isEmpty ? 0 : parser.contentLength)
  }

  private func inspect(_ piece: UnsafeRawBufferPointer) -> Int {
    guard let verdict = headGuard?.take(piece, isOfProxy: route.isOpening) else { return piece.count }
    if verdict != .passes { handle.set(CCURLOPT_HEADER, to: false) }
    guard verdict == .isFolded else { return piece.count }
    failure = TransportError(CCURLE_BAD_FUNCTION_ARGUMENT, peer: "", handle: handle)
    return 0
  }

  /// Checks a transmission that libcurl is about to make.
  ///
  /// A result other than 0 ends the transfer.
  func willSend(from port: Int32, over ends: () -> CurlSockets.Ends) -> Int32 {
    if exchange.request.listener != nil { steps.ready(self) }
    guard route.maySend(to: ends().peer) else {
      failure = route.addressRefusal(of: peer)
      return 1
    }
    if driver.loop.connections.httpVersion == .http2, handle.isSecure,
      ccurl_tls_agreed_on_http2(handle.easy) == CCURL_TLS_NO
    {
      failure = TransportError(
        .unsupported,
        "\(peer) does not agree on HTTP/2, and ConnectionSettings.httpVersion allows only HTTP/2")
      return 1
    }
    if parser.hasBegunHead {
      failure = TransportError(
        .connectionLost, "\(peer) aborted the response and asked for HTTP/1.1 instead (HTTP_1_1_REQUIRED)")
      return 1
    }
    if exchange.upload.trailed != nil, handle.isSecure,
      ccurl_tls_agreed_on_http2(handle.easy) == CCURL_TLS_YES
    {
      failure = TransportError(.unsupported, "this libcurl sends no trailers over HTTP/2")
      return 1
    }
    // Some versions of libcurl do not rewind the body for a repetition.
    let hasBody = !sending.wasAsked || rewindBody()
    failure = hasBody ? sending.begin(self, from: port, over: ends) : CurlEnding(self).unrepeatableBody
    return failure == nil ? 0 : 1
  }

  func giveBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    if body.isAbandoned { return Int(CCURL_READFUNC_ABORT) }
    noteProgress()
    if pauses.isSuspended { return Int(CCURL_READFUNC_PAUSE) }
    noteBodyRead()
    switch body.read(into: buffer) {
    case .bytes(let count):
      if let counter = exchange.request.counter { body.reportGiven(count, to: counter) }
      return count
    case .end: return 0
    case .notYet:
      pauseSending()
      return Int(CCURL_READFUNC_PAUSE)
    }
  }

  func rewind(to offset: Int64, origin: Int32) -> Int32 {
    body.isLost = origin != SEEK_SET || !rewindBody(to: offset)
    return body.isLost ? CCURL_SEEKFUNC_FAIL : CCURL_SEEKFUNC_OK
  }

  func rewindBody(to offset: Int64 = 0) -> Bool {
    uploadWatch.noteRewind()
    return body.rewind(to: offset)
  }
}
#endif
