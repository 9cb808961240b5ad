import Errand
import Foundation

/// One connection of a server: reads requests and answers them, one after another.
///
/// It lives on the server's thread.
final class ServerConnection {
  typealias Instant = ContinuousClock.Instant

  private enum Phase {
    case reading, answering
    /// The output has ended; what still comes is thrown away until the client closes, because closing over unread
    /// bytes would reset the connection and might destroy the answer on its way.
    case lingering
    /// Nothing more is done; what comes is thrown away.
    case stalled
    case closed
  }

  /// How many unread bytes of later requests are kept while one is answered.
  private static let pipelineLimit = 1 << 20
  private static let lingerTime = Duration.seconds(1)
  /// How many bytes of a repeated step are written at once.
  private static let batchSize = 65_536

  let socket: Int32
  private let number: Int
  private let script: ServerScript
  private let journal: ServerJournal
  private var phase = Phase.reading
  private var parser = RequestParser()
  private var steps: ArraySlice<AnswerStep> = []
  private var output = OutputBuffer()
  /// Whether the journal counts a request as being answered.
  private var isAnswering = false
  /// When the connection goes on by itself; `nil` when it waits for the client.
  private(set) var wakeTime: Instant?

  init(socket: Int32, script: ServerScript, journal: ServerJournal) {
    self.socket = socket
    self.script = script
    self.journal = journal
    number = journal.connect()
  }

  var isClosed: Bool { phase == .closed }
  var wantsOutput: Bool { !output.isEmpty }
  var wantsInput: Bool { phase != .answering || parser.pending < Self.pipelineLimit }

  /// Goes on after a readiness of the socket or when ``wakeTime`` has come.
  func proceed(buffer: inout [UInt8], isReadable: Bool, now: Instant) {
    if isReadable { read(into: &buffer) }
    if let wakeTime {
      guard wakeTime <= now else { return }
      self.wakeTime = nil
      if phase == .lingering { return close() }
    }
    advance()
  }

  func close() {
    guard phase != .closed else { return }
    endAnswer()
    phase = .closed
    wakeTime = nil
    Socket.dispose(socket)
    journal.disconnect()
  }
}

/// Reading.
extension ServerConnection {
  private func read(into buffer: inout [UInt8]) {
    switch Socket.read(socket, into: &buffer) {
    case .blocked: break
    // A client that closes while it is answered has gone: HTTP clients do not close half a connection.
    case .ended: close()
    case .bytes(let count):
      if phase == .reading || phase == .answering { parser.append(buffer[..<count]) }
    }
  }

  /// Takes the next request up; whether there was something to do.
  private func parse() -> Bool {
    do {
      switch try parser.next() {
      case nil: return false
      case .continueExpected: output.append(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))
      case .request(let message): answer(message)
      }
    } catch {
      send(error)
    }
    return true
  }
}

/// Answering.
extension ServerConnection {
  /// Goes on until the client, the socket or a time has to be waited for.
  private func advance() {
    while phase == .reading || phase == .answering {
      flush()
      guard !wantsOutput, wakeTime == nil else { return }
      if let step = steps.popFirst() {
        guard perform(step) else { return }
      } else if !parse() {
        return
      }
    }
  }

  private func answer(_ message: RequestMessage) {
    let request = begin(message)
    let answer = script.answer(to: request)
    if answer == nil { journal.addUnmatched(request) }
    steps =
      (answer ?? script.refusal(of: request)).answering(request.method, request.headers)
      .script(to: request.method, isVersion10: message.isVersion10, closing: message.wantsClose).steps[...]
  }

  private func begin(_ message: RequestMessage) -> ReceivedRequest {
    endAnswer()
    isAnswering = true
    phase = .answering
    return journal.begin(message, connection: number)
  }

  private func endAnswer() {
    if isAnswering { journal.end() }
    isAnswering = false
  }

  /// Answers what is no request, and ends.
  private func send(_ error: MalformedRequest) {
    steps = error.answer.script(to: .get, isVersion10: false, closing: true).steps[...]
  }

  /// Does a step; `false` when it has to wait for the client, and is then still to be done.
  private func perform(_ step: AnswerStep) -> Bool {
    switch step.action {
    // Bounded, so that no duration overflows the clock.
    case .wait(let duration): wakeTime = .now + min(duration, .seconds(1 << 30))
    case .send(let data, let times): send(data, times: times)
    case .readRequest: return readRequest()
    case .close: close()
    case .reset:
      Socket.resetWhenClosed(socket)
      close()
    case .stall: phase = .stalled
    case .finish(let closing): finish(closing: closing)
    }
    return true
  }

  /// Sends as many of the repetitions as make a good write; the rest is the next step, after the other connections.
  private func send(_ data: Data, times: Int) {
    guard !data.isEmpty, times > 0 else { return }
    let batch = min(times, max(1, Self.batchSize / data.count))
    for _ in 0..<batch { output.append(data) }
    guard batch < times else { return }
    steps = [.send(data, times: times - batch)] + steps
    wakeTime = .now
  }

  private func readRequest() -> Bool {
    do {
      switch try parser.next() {
      case .request(let message):
        _ = begin(message)
        return true
      case .continueExpected: output.append(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))
      case nil: break
      }
    } catch {
      close()
      return true
    }
    steps = [.readRequest] + steps
    return wantsOutput
  }

  private func finish(closing: Bool) {
    endAnswer()
    phase = closing ? .lingering : .reading
    guard closing else { return }
    Socket.endOutput(socket)
    wakeTime = .now + Self.lingerTime
  }

  private func flush() {
    guard phase != .closed, !output.flush(to: socket) else { return }
    close()
  }
}
