import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class URLSessionExchange: TransferExchange, @unchecked Sendable {
  let request: TransportRequest
  let mailbox = Locked(TransferMailbox())
  private let upload: TransferUpload

  // Guarded by the queue of the lease: the mutable properties below.
  private var lease: SessionLease?
  private let queue: DispatchQueue
  private var task: URLSessionTask?
  private var writer: BodyWriter?
  private var times: TransferTimes
  private var timer: AgentClock.PendingCall?
  private var sentBytes: Int64 = 0
  private var receivedBytes: Int64 = 0
  private var expectedBytes: Int64?
  private var isPaused = false
  private var isSuspended = false
  private var isTaskPaused = false
  private var waitsForConnectivity = false
  private var challenge: SessionChallenge?
  /// True after the cancellation or the end.
  ///
  /// On Linux, a redirect must not be answered then.
  private(set) var isStopped = false
  private var hasHead = false
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

  /// Starts the request body.
  ///
  /// A second call ends the transfer with an error, because a started body cannot be sent again.
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

  private func writeOn() {
    guard let writer, !isStopped else { return }
    do {
      try writer.writeAvailable()
      times.noteSent(at: Self.now)
      times.noteProgress(at: Self.now)
    } catch {
      end(with: error)
    }
  }

  private func launch(_ collected: Data? = nil) {
    guard let lease, !isStopped else { return }
    var message = URLRequest(request, bodyOf: upload)
    if lease.triesHTTP3 { SessionPlatform.assumeHTTP3(&message) }
    if let collected { message.httpBody = collected }
    let task: URLSessionTask
    if case .stream = upload, collected == nil {
      task = lease.session.uploadTask(withStreamedRequest: message)
    } else {
      task = lease.session.dataTask(with: message)
    }
    task.priority = Float(min(max(0.5 + request.priority.value / 4, 0), 1))
    self.task = task
    lease.delegate.add(self, for: task)
    task.resume()
    if isTaskPaused { SessionPlatform.pause(task) }
  }

  private func cancelTask() {
    guard !isStopped else { return didStop() }
    isStopped = true
    guard let task else {
      release()
      return didStop()
    }
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

  private func follow(_ change: () -> Void) {
    change()
    guard !isStopped, isTaskPaused != (isPaused || isSuspended) else { return }
    isTaskPaused.toggle()
    if isTaskPaused {
      task.map(SessionPlatform.pause)
      timer?.cancel()
      timer = nil
    } else {
      times.restart(at: Self.now)
      task.map(SessionPlatform.resume)
      setTimer()
    }
  }

  // MARK: Time

  private static var now: Int64 { AgentClock.continuous.now().clampedNanoseconds }

  private func setTimer() {
    timer?.cancel()
    let deadline = Duration.nanoseconds(times.deadline)
    timer = AgentClock.continuous.call(deadline) { [self] in queue.async { self.timeOut() } }
  }

  private func timeOut() {
    guard timer != nil, !isStopped, !isTaskPaused else { return }
    if waitsForConnectivity {
      // The system does not report the end of the wait.
      waitsForConnectivity = !isThereANetwork
      times.restart(at: Self.now)
      return setTimer()
    }
    if let writer, writer.isWaiting, writer.takeCodingProgress() { times.noteProgress(at: Self.now) }
    // A session does not report the end of connecting.
    if let breach = times.breach(at: Self.now, isWaitingForBody: writer?.isWaiting ?? false, sending: { 0 }) {
      end(with: breach)
    } else {
      setTimer()
    }
  }

  // MARK: Events of the session

  /// Suspends the timeouts until a check finds a network, or the transfer makes progress.
  func waitForConnectivity() { waitsForConnectivity = true }

  private var isThereANetwork: Bool {
    let state = NetworkPath.system.state
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
    // A `multipart/x-mixed-replace` document has a head for each part.
    guard !hasHead else { return }
    // Foundation on Linux reports informational responses like final responses.
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
    TransportError(.invalidResponse, "the system reported no final response from \(peer)")
  }

  func complete(_ error: (any Error)?) {
    // Foundation on Linux reports a redirect without a usable `Location` only on completion.
    if error == nil, !hasHead, !isStopped, let response = task?.response { take(response) }
    let wasDeclined = !isStopped && (error as? URLError).map(SessionChallenge.isDeclined) ?? false
    isStopped = true
    var news = TransferNews()
    let head = mailbox.withLock { $0.head }
    if wasDeclined, challenge == .authentication, head != nil {
      // After a declined challenge, Foundation reports an error in addition to the 401 or 407 response.
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

  private var peer: String { WebScheme.peer(of: request.request.url) }
}
