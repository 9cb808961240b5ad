import Errand
import Foundation

/// A client's connection to the server; used only on the server's thread.
final class ServerConnection {
  typealias Instant = ContinuousClock.Instant

  private enum Phase {
    case reading, answering
    /// The server has closed its sending half and discards input for up to ``lingerTime``. An immediate close
    /// with unread bytes could destroy the sent answer.
    case lingering
    /// Nothing is sent, and input is discarded.
    case stalled
    case closed
  }

  /// The number of unparsed bytes at which reading pauses during an answer.
  private static let pipelineLimit = 1 << 20
  private static let lingerTime = Duration.seconds(1)
  private static let batchSize = 65_536

  let socket: Int32
  private let number: Int
  private let script: ServerScript
  private let journal: ServerJournal
  private var phase = Phase.reading
  private var parser = RequestParser()
  private var steps: ArraySlice<AnswerStep> = []
  private var output = OutputBuffer()
  private let cipher: (any ConnectionCipher)?
  private var isAnswering = false
  private var pending: (answer: PendingAnswer, message: RequestMessage)?
  /// The time of the next step, or of the close that ends ``Phase/lingering``; `nil`: no timed wait.
  private var stepTime: Instant?
  private let pace: ReadingPace?
  /// The earliest time of the next read; `nil`: no pause by the reading pace.
  private var readTime: Instant?

  init(
    socket: Int32, cipher: (any ConnectionCipher)?, pace: ReadingPace?, script: ServerScript,
    journal: ServerJournal
  ) {
    self.socket = socket
    self.cipher = cipher
    self.pace = pace
    self.script = script
    self.journal = journal
    number = journal.connect()
  }

  /// The time at which the connection continues without a socket event; `nil`: no such time.
  var wakeTime: Instant? {
    if pending?.answer.answer != nil { return .now - .seconds(1) }
    return stepTime.map { min($0, readTime ?? $0) } ?? readTime
  }

  var isClosed: Bool { phase == .closed }
  var wantsOutput: Bool { !output.isEmpty }
  var wantsInput: Bool {
    readTime == nil && (phase != .answering || parser.pending < Self.pipelineLimit)
  }

  func proceed(buffer: inout [UInt8], isReadable: Bool, now: Instant) {
    if let time = readTime, time <= now { readTime = nil }
    if isReadable { read(into: &buffer, now) }
    if let time = stepTime {
      guard time <= now else { return }
      stepTime = nil
      if phase == .lingering { return close() }
    }
    advance()
    // Checked last, because the input before `close_notify` may contain a complete request.
    if cipher?.state == .ended { close() }
  }

  func close() {
    guard phase != .closed else { return }
    endAnswer()
    pending?.answer.cancel()
    pending = nil
    phase = .closed
    stepTime = nil
    readTime = nil
    // If the cipher failed, `take(_:)` has already added the reason.
    if let cipher, cipher.details == nil, !cipher.hasFailed {
      journal.addFailedHandshake("the connection ended before the handshake was over")
    }
    Socket.dispose(socket)
    journal.disconnect()
  }
}

extension ServerConnection {
  private func read(into buffer: inout [UInt8], _ now: Instant) {
    let pace = phase == .reading || phase == .answering ? pace : nil
    switch Socket.read(socket, into: &buffer, limit: pace?.count ?? .max) {
    case .blocked: break
    // `recv` cannot distinguish a half-close from a full close.
    case .ended: close()
    case .bytes(let count):
      if let pace { readTime = now + pace.interval }
      if phase == .reading || phase == .answering { take(buffer[..<count]) }
    }
  }

  private func take(_ bytes: ArraySlice<UInt8>) {
    guard let cipher else { return parser.append(bytes) }
    let isAgreed = cipher.details != nil
    let text = cipher.open(bytes)
    output.append(cipher.takeOutput())
    parser.append(text[...])
    guard case .failed(let reason) = cipher.state else { return }
    if !isAgreed, cipher.details == nil { journal.addFailedHandshake(reason) }
    // Closes the connection after sending the output, which may contain a TLS alert.
    phase = .answering
    steps = [.finish(closing: true)]
    stepTime = nil
  }

  private func parse() -> Bool {
    do {
      switch try parser.next() {
      case nil: return false
      case .continueExpected: write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))
      case .request(let message): answer(message)
      }
    } catch {
      send(error)
    }
    return true
  }
}

extension ServerConnection {
  private func advance() {
    while phase == .reading || phase == .answering {
      flush()
      guard !wantsOutput, stepTime == nil else { return }
      if let (found, message) = pending {
        guard let answer = found.answer else { return }
        pending = nil
        give(answer, to: message)
      } else if let step = steps.popFirst() {
        guard perform(step) else { return }
      } else if !parse() {
        return
      }
    }
  }

  private func answer(_ message: RequestMessage) {
    if let forwarder = script.forwarder, let sent = unrecorded(message).sent, forwarder.ignores(sent) {
      endAnswer()
      phase = .answering
      return pending = (forwarder.send(sent), message)
    }
    let request = begin(message)
    if let answer = script.answer(to: request) { return give(answer.answering(request), to: message) }
    if let forwarder = script.forwarder, let sent = request.sent, forwarder.takes(sent) {
      return pending = (forwarder.send(sent), message)
    }
    journal.addUnmatched(request)
    give(script.refusal(of: request).answering(request), to: message)
  }

  private func give(_ answer: MockAnswer, to message: RequestMessage) {
    steps =
      AnswerScript.make(
        for: answer, to: HTTPMethod(message.method), isVersion10: message.isVersion10,
        closing: message.wantsClose
      ).steps[...]
  }

  private func unrecorded(_ message: RequestMessage) -> ReceivedRequest {
    ReceivedRequest(number: 0, connection: number, message: message, tls: cipher?.details)
  }

  private func begin(_ message: RequestMessage) -> ReceivedRequest {
    endAnswer()
    isAnswering = true
    phase = .answering
    return journal.begin(message, connection: number, tls: cipher?.details)
  }

  private func endAnswer() {
    if isAnswering { journal.end() }
    isAnswering = false
  }

  private func send(_ error: MalformedRequest) {
    steps = AnswerScript.make(for: error.answer, to: .get, isVersion10: false, closing: true).steps[...]
  }

  /// Performs a step; returns `false` to wait for the client's next request.
  private func perform(_ step: AnswerStep) -> Bool {
    switch step.action {
    // A longer wait could overflow the clock.
    case .wait(let duration): stepTime = .now + min(duration, .seconds(1 << 30))
    case .send(let data, let times): send(data, times: times)
    case .awaitRequest: return awaitRequest()
    case .sendCloseNotify: sendCloseNotify()
    case .close: close()
    case .reset:
      Socket.resetWhenClosed(socket)
      close()
    case .stall: phase = .stalled
    case .finish(let closing): finish(closing: closing)
    }
    return true
  }

  /// Writes a batch of repetitions.
  ///
  /// The remaining repetitions become the next step, so that other connections are served in between.
  private func send(_ data: Data, times: Int) {
    guard !data.isEmpty, times > 0 else { return }
    let batch = min(times, max(1, Self.batchSize / data.count))
    for _ in 0..<batch { write(data) }
    guard batch < times else { return }
    steps = [.send(data, times: times - batch)] + steps
    stepTime = .now
  }

  private func write(_ data: Data) {
    guard let cipher else { return output.append(data) }
    cipher.seal(data)
    output.append(cipher.takeOutput())
    if cipher.hasFailed { close() }
  }

  private func sendCloseNotify() {
    cipher?.sendCloseNotify()
    if let cipher { output.append(cipher.takeOutput()) }
  }

  private func awaitRequest() -> Bool {
    do {
      switch try parser.next() {
      case .request(let message):
        _ = begin(message)
        return true
      case .continueExpected: write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))
      case nil: break
      }
    } catch {
      close()
      return true
    }
    steps = [.awaitNextRequest] + steps
    return wantsOutput
  }

  private func finish(closing: Bool) {
    if closing, let cipher, !cipher.hasSaidEnd, cipher.state == .open {
      sendCloseNotify()
      // The step calls `finish` again after `close_notify` is written.
      steps = [.finish(closing: true)]
      return
    }
    endAnswer()
    phase = closing ? .lingering : .reading
    guard closing else { return }
    Socket.endOutput(socket)
    // A pause of the reading pace would leave bytes unread.
    readTime = nil
    stepTime = .now + Self.lingerTime
  }

  private func flush() {
    guard phase != .closed, !output.flush(to: socket) else { return }
    close()
  }
}
