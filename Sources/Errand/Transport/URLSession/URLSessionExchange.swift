import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One transfer in a session, as the consumer and the session's queue share it.
final class URLSessionExchange: TransferExchange, @unchecked Sendable {
  let request: TransportRequest
  let mailbox = Locked(TransferMailbox())
  private let upload: TransferUpload

  // Guard of everything below: the queue of the lease.
  /// The session, until the transfer has ended.
  private var lease: SessionLease?
  private let queue: DispatchQueue
  private var task: URLSessionTask?
  private var writer: BodyWriter?
  private var times: TransferTimes
  private var timer: AgentClock.PendingCall?
  private var sentBytes: Int64 = 0
  private var receivedBytes: Int64 = 0
  private var expectedBytes: Int64?
  /// Whether the consumer has more than it takes.
  private var isPaused = false
  private var isSuspended = false
  private var rests = false
  private var waitsForConnectivity = false
  /// What the connection asked for last; `nil` for nothing.
  private var challenge: SessionChallenge?
  /// Whether the task is not to be answered any more.
  private(set) var isStopped = false
  /// Whether the head of the final response is there.
  private var hasHead = false
  /// What the system measured.
  var metrics: TransportSummary.Metrics?

  init(_ request: TransportRequest, upload: TransferUpload, lease: SessionLease) {
    self.request = request
    self.upload = upload
    self.lease = lease
    queue = lease.queue
    times = TransferTimes(request, now: Self.now)
  }

  // MARK: The consumer's side, on any thread

  func begin() { queue.async { self.open() } }

  func stop() { queue.async { self.cancelTask() } }

  func makeRoom() { queue.async { self.follow { self.isPaused = false } } }

  func followSuspension() {
    queue.async { self.follow { self.isSuspended = self.request.suspension?.isSuspended ?? false } }
  }

  // MARK: On the queue

  private func open() {
    guard !isStopped else { return }
    times.restart(at: Self.now)
    setTimer()
    guard case .stream(let stream, let length) = upload, !SessionPlatform.streamsBodies else {
      return launch()
    }
    let collected = CollectedBody()
    write(stream, length: length, into: collected) { [self] in launch(collected.data) }
  }

  /// The sink whose other end the session reads the body from, once; a body that was begun is not given again.
  func supplyBody<Sink: BodySink>(
    by makeSink: (_ queue: DispatchQueue, _ hasRoom: @escaping () -> Void) -> Sink
  ) -> Sink? {
    guard case .stream(let stream, let length) = upload, writer == nil, !isStopped else {
      end(with: TransportError.bodyWasBegun(peer, method: request.request.method))
      return nil
    }
    let sink = makeSink(queue) { [weak self] in self?.writeOn() }
    write(stream, length: length, into: sink)
    return sink
  }

  /// Begins to carry the body into a sink; `completion` is called when it is there whole.
  private func write(
    _ stream: BodyStream, length: Int64?, into sink: any BodySink,
    completion: @escaping () -> Void = {}
  ) {
    let pump = UploadPump(
      stream, length: length, isReadable: { [self] in queue.async { self.writeOn() } },
      didFail: { [self] in end(with: $0) })
    writer = BodyWriter(pump, into: sink, didEnd: completion)
    writeOn()
  }

  /// Goes on with the body: there are bytes, or room for them.
  private func writeOn() {
    guard let writer, !isStopped else { return }
    do {
      try writer.turn()
      times.noteSent(at: Self.now)
      times.noteProgress(at: Self.now)
    } catch {
      end(with: error)
    }
  }

  /// - Parameter collected: the bytes of a body that was a stream.
  private func launch(_ collected: Data? = nil) {
    guard let lease, !isStopped else { return }
    var message = URLRequest(request, bodyOf: upload)
    if let collected { message.httpBody = collected }
    let task: URLSessionTask
    if case .stream = upload, collected == nil {
      task = lease.session.uploadTask(withStreamedRequest: message)
    } else {
      task = lease.session.dataTask(with: message)
    }
    // What Apple's systems tell an HTTP/2 server; in its terms 0.5 is the default, and there is nothing beyond 0 and 1.
    task.priority = Float(min(max(0.5 + request.priority.value / 4, 0), 1))
    self.task = task
    lease.delegate.add(self, for: task)
    task.resume()
    if rests { SessionPlatform.rest(task) }
  }

  private func cancelTask() {
    guard !isStopped else { return didStop() }
    isStopped = true
    guard let task else {
      release()
      return didStop()
    }
    // Its end is told as any other.
    task.cancel()
  }

  private func release() {
    timer?.cancel()
    timer = nil
    writer?.stop()
    writer = nil
    task = nil
    lease = nil
  }

  /// Rests or goes on after a change.
  private func follow(_ change: () -> Void) {
    change()
    guard !isStopped, rests != (isPaused || isSuspended) else { return }
    rests.toggle()
    if rests {
      task.map(SessionPlatform.rest)
      timer?.cancel()
      timer = nil
    } else {
      times.restart(at: Self.now)
      task.map(SessionPlatform.goOn)
      setTimer()
    }
  }

  // MARK: Time

  /// Nanoseconds of a monotonic clock.
  private static var now: Int64 { AgentClock.continuous.now().clampedNanoseconds }

  private func setTimer() {
    timer?.cancel()
    let deadline = Duration.nanoseconds(times.deadline)
    timer = AgentClock.continuous.call(deadline) { [self] in queue.async { self.timeOut() } }
  }

  private func timeOut() {
    guard timer != nil, !isStopped, !rests else { return }
    if waitsForConnectivity {
      // The system does not tell when the wait is over: time runs again once there is a network.
      waitsForConnectivity = !isThereANetwork
      times.restart(at: Self.now)
      return setTimer()
    }
    if let writer, writer.isWaiting, writer.hasCoded() { times.noteProgress(at: Self.now) }
    // A session does not tell when a connection stands.
    if let breach = times.breach(at: Self.now, isWaitingForBody: writer?.isWaiting ?? false, sending: { 0 }) {
      end(with: breach)
    } else {
      setTimer()
    }
  }

  // MARK: What the session tells

  /// There is no network, and the configuration says that one is waited for: no time runs until there is one, or something is sent or
  /// received.
  func waitForConnectivity() { waitsForConnectivity = true }

  /// Whether the system knows of one that the request may use, or does not say.
  private var isThereANetwork: Bool {
    let state = SystemNetworkPath.shared.state
    return state.status != .unsatisfied && (!state.isExpensive || request.networkAccess.contains(.expensive))
      && (!state.isConstrained || request.networkAccess.contains(.constrained))
  }

  private func noteProgress() {
    times.noteProgress(at: Self.now)
    guard waitsForConnectivity else { return }
    waitsForConnectivity = false
    times.restart(at: Self.now)
    setTimer()
  }

  func noteChallenge(_ method: String) { challenge = SessionChallenge(method) }

  func noteSent(_ count: Int64) {
    sentBytes += count
    times.noteSent(at: Self.now)
    noteProgress()
    request.counter?.sent(sentBytes, of: upload.length)
  }

  func take(_ response: URLResponse) {
    guard let response = response as? HTTPURLResponse else {
      return end(with: TransportError(.invalidResponse, "\(peer) did not answer in HTTP"))
    }
    var head = HTTPResponse(response)
    head.url = request.request.url
    // A document of parts that replace each other has a head for each.
    guard !hasHead else { return }
    // Foundation on Linux tells them as if they were final, and may tell of no other.
    if (100..<200).contains(head.status.code), head.status != 101 { return }
    hasHead = true
    head.headers.fields.removeAll { !HTTPHeaders.isToken($0.name) }
    head.headers = head.headers.withSeparateCookies
    noteProgress()
    if times.noteReceived(0, at: Self.now) { setTimer() }
    if let error = request.limits.breach(by: head.headers) { return end(with: error) }
    if !head.headers.contains("Content-Encoding") {
      expectedBytes = head.headers["Content-Length"].flatMap { Int64($0) }
    }
    let isEmpty = request.request.method == .head || head.status == 204 || head.status == 304
    if isEmpty { expectedBytes = 0 }
    if let length = upload.length, length > sentBytes { request.counter?.sent(length, of: length) }
    request.counter?.received(0, of: expectedBytes)
    var news = TransferNews()
    news.head = head
    deliver(news)
  }

  func take(_ data: Data) {
    guard !data.isEmpty, !isStopped else { return }
    guard hasHead else { return end(with: noHead) }
    receivedBytes += Int64(data.count)
    if times.noteReceived(data.count, at: Self.now) { setTimer() }
    request.counter?.received(receivedBytes, of: expectedBytes)
    var news = TransferNews()
    news.add(data)
    deliver(news)
    if pauses(with: 0) { follow { isPaused = true } }
  }

  private var noHead: TransportError {
    TransportError(.invalidResponse, "\(peer) gave no final response that the system hands on")
  }

  func complete(_ error: (any Error)?) {
    // Of a redirect that leads nowhere Foundation on Linux tells nothing else.
    if error == nil, !hasHead, !isStopped, let response = task?.response { take(response) }
    let wasDeclined = !isStopped && (error as? URLError).map(SessionChallenge.isDeclined) ?? false
    isStopped = true
    var news = TransferNews()
    let head = mailbox.withLock { $0.head }
    if wasDeclined, challenge == .authentication, head != nil {
      // That of a 401 or 407, which Foundation takes for an error after the answer has come.
      news.ending = .success(())
    } else if wasDeclined, challenge == .trust {
      news.ending = .failure(TransportError.certificateRefused(by: peer))
    } else if let error {
      let place = head.map { head in
        TransportError.Place(
          received: receivedBytes, expected: expectedBytes, coding: head.headers["Content-Encoding"])
      }
      news.ending = .failure(
        (error as? URLError)?.code == .requestBodyStreamExhausted
          ? TransportError.bodyWasBegun(peer, method: request.request.method)
          : TransportError(error, peer: peer, in: place))
    } else {
      news.ending = hasHead ? .success(()) : .failure(noHead)
    }
    news.summary = TransportSummary(metrics: metrics)
    deliver(news)
    release()
    didStop()
  }

  /// Host and port, as errors name them.
  private var peer: String { WebScheme.peer(of: request.request.url) }
}
