#if os(Linux)
import CCurl

extension CurlDriver {
  func obey(_ command: CurlLoop.Command) {
    switch command {
    case .start(let exchange): start(exchange)
    case .end(let exchange):
      with(exchange) { end($0, with: .failure(TransportError.cancelled)) }
      exchange.didStop()
    case .resumeReceiving(let exchange): with(exchange) { resumed($0, with: $0.resumeReceiving()) }
    case .followSuspension(let exchange): with(exchange) { resumed($0, with: $0.followSuspension()) }
    case .resumeSending(let exchange): with(exchange) { resumed($0, with: $0.resumeSending()) }
    case .abandonBody(let exchange, let isCut):
      with(exchange) { resumed($0, with: $0.abandonBody(isCut: isCut)) }
    case .retire: retire()
    case .list(let reply): reply.resume(returning: CurlSnapshot(self).value)
    }
  }

  private func retire() {
    isRetired = true
    breakIdle()
  }

  private func breakIdle() {
    sockets.breakIdle(
      anyRuns: !transfers.isEmpty, anyIsPaused: transfers.values.contains(where: \.mayBeUnwatched))
  }

  private func with(_ exchange: CurlExchange, perform body: (CurlTransfer) -> Void) {
    if let transfer = transfers[ObjectIdentifier(exchange)] { body(transfer) }
  }

  private func resumed(_ transfer: CurlTransfer, with code: CCURLcode) {
    if code != CCURLE_OK { end(transfer, with: CurlEnding(transfer).outcome(of: code)) }
  }

  private func start(_ exchange: CurlExchange) {
    guard !exchange.isEnded else { return }
    let isSecure = WebScheme(text: exchange.request.request.location.text) == .https
    guard let multi, let handle = handles.take(isSecure: isSecure) else {
      exchange.end(with: TransportError(.transport, "libcurl could not be started"))
      return
    }
    if !CurlLibrary.asksBeforeSending { sockets.breakReadable() }
    let transfer = CurlTransfer(exchange, handle: handle, driver: self)
    let code = transfer.configure()
    guard code == CCURLE_OK, ccurl_multi_add_handle(multi, handle.easy) == CCURLM_OK else {
      let error =
        transfer.failure ?? CurlEnding(transfer).error(for: code == CCURLE_OK ? CCURLE_FAILED_INIT : code)
      exchange.end(with: error)
      transfer.release()
      handles.give(handle)
      return
    }
    transfers[ObjectIdentifier(exchange)] = transfer
    keepConnections()
    transfer.noteProgress()
    _ = transfer.followSuspension()
    if !transfer.isPausedForCaller { timers.insert(transfer) }
  }

  /// Lets libcurl keep a connection for each transfer, unless the settings limit the idle connections.
  private func keepConnections() {
    guard transfers.count > connectionLimit, loop.connections.pool.maximumIdle == nil else { return }
    connectionLimit *= 2
    _ = ccurl_multi_set_long(multi, CCURLMOPT_MAXCONNECTS, connectionLimit)
  }

  func collectFinished() {
    var left: Int32 = 0
    while let message = ccurl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CCURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
      // The message becomes invalid when the handle is removed.
      let code = message.pointee.data.result
      guard let transfer = CurlHandle.transfer(of: easy) else { continue }
      finish(transfer, with: code)
    }
  }

  func endAbandoned() {
    guard !abandoned.isEmpty else { return }
    defer { abandoned.removeAll() }
    for transfer in Array(transfers.values) where !transfer.sending.didEnd(self) {
      guard let ends = transfer.sending.ends, abandoned.contains(ends), transfer.isShared else { continue }
      transfer.sending.isAbandoned = true
      finish(transfer, with: CCURLE_HTTP2)
    }
  }

  private func finish(_ transfer: CurlTransfer, with code: CCURLcode) {
    if !CurlEnding(transfer).isRepeatable(after: code) || !startAgain(transfer) {
      end(transfer, with: CurlEnding(transfer).outcome(of: code))
    }
  }

  private func startAgain(_ transfer: CurlTransfer) -> Bool {
    guard transfer.rewindBody() else { return false }
    let isFresh = !CurlEnding(transfer).isReset
    transfer.leaveConnection()
    transfer.sending.restart()
    transfer.handle.mark()
    ccurl_multi_remove_handle(multi, transfer.handle.easy)
    if isFresh { transfer.handle.set(CCURLOPT_FRESH_CONNECT, to: true) }
    return ccurl_multi_add_handle(multi, transfer.handle.easy) == CCURLM_OK
  }

  func share(_ handle: CurlHandle, with peer: @autoclosure () -> String) {
    sharing.configure(handle, for: peer())
    guard !peersToReconnect.isEmpty, peersToReconnect.contains(peer()) else { return }
    handle.mark()
    handle.set(CCURLOPT_SSLVERSION, to: loop.connections.oldestTLS | Int(CCURL_SSLVERSION_MAX_DEFAULT))
  }

  /// Restarts transfers that may wait for a shared connection, although the server has chosen HTTP/1.1.
  ///
  /// See ``CurlSharing``.
  func startWaiting() {
    let peers = sharing.takeFound()
    guard !peers.isEmpty else { return }
    for transfer in transfers.values.filter({ CurlSharing.waits($0) && peers.contains($0.peer) }) {
      ccurl_multi_remove_handle(multi, transfer.handle.easy)
      transfer.handle.set(CCURLOPT_PIPEWAIT, to: false)
      guard ccurl_multi_add_handle(multi, transfer.handle.easy) == CCURLM_OK else {
        end(transfer, with: .failure(CurlEnding(transfer).error(for: CCURLE_FAILED_INIT)))
        continue
      }
    }
  }

  func timeOut(_ transfer: CurlTransfer) {
    if transfer.isPausedForCaller { return }
    guard let breach = transfer.breach() else { return timers.insert(transfer) }
    let unresponsive = transfer.sending.ends.flatMap { ends in
      transfer.isShared && transfer.isSilent && lastActivity[ends] ?? 0 <= transfer.lastProgress ? ends : nil
    }
    if let unresponsive { sockets.retire(unresponsive) }
    end(transfer, with: .failure(breach))
    guard let unresponsive else { return }
    sweep.didBreak(at: now)
    // Other transfers still use the connection. Different TLS options keep new requests off the connection.
    if transfer.handle.isSecure, sockets.isStillUsed(unresponsive) {
      peersToReconnect.formSymmetricDifference([transfer.peer])
    }
  }

  func endAll() {
    for transfer in Array(transfers.values) { end(transfer, with: .failure(CurlLoop.released)) }
  }

  private func end(_ transfer: CurlTransfer, with outcome: Result<Void, any Error>) {
    transfer.end(outcome)
    if case .failure = outcome { transfer.handle.mark() }
    ccurl_multi_remove_handle(multi, transfer.handle.easy)
    if let place = transfer.place {
      sockets.markIdle(place, localPort: transfer.localPort, isShared: transfer.isShared, at: now)
      sweep.didBecomeIdle(at: now)
    }
    timers.remove(transfer)
    transfer.sending.forget(self)
    transfers[ObjectIdentifier(transfer.exchange)] = nil
    transfer.release()
    handles.give(transfer.handle)
    if isRetired { breakIdle() }
  }

  func follow(_ socket: Int32, for what: Int32, of easy: UnsafeMutableRawPointer?) {
    switch what {
    case CCURL_POLL_IN: sockets.watch(socket, for: .input)
    case CCURL_POLL_OUT: sockets.watch(socket, for: .output)
    case CCURL_POLL_INOUT: sockets.watch(socket, for: [.input, .output])
    default:
      let transfer = easy.flatMap(CurlHandle.transfer)
      // The transfer waits for body bytes from the caller. If libcurl stops watching meanwhile, the response
      // or the connection has usually ended. For a throttled transfer, the reason may be the speed limit.
      if let transfer, transfer.pauses.isOfSendingAlone, !transfer.isThrottled {
        // A command, because the transfer cannot end within this callback.
        loop.post(.abandonBody(transfer.exchange, isCut: CurlSockets.isClosed(socket)))
      }
      guard let transfer, !transfer.mayBeUnwatched else {
        let place = sockets.unwatch(socket)
        transfer?.place = place
        return
      }
      sockets.markIdle(socket, localPort: transfer.localPort, isShared: transfer.isShared, at: now)
      sweep.didBecomeIdle(at: now)
      if isRetired { breakIdle() }
    }
  }
}
#endif
