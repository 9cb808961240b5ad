import Foundation

@testable import Errand

/// The last step repeats.
final class ProbeTransport: Transport {
  enum Step: Sendable {
    case answer(HTTPResponse.Status, String = "ok")
    case redirect(HTTPResponse.Status, to: String)
    case failure(TransportError)
    /// Waits for cancellation without a response.
    case silence
    /// Sends the head and half a body, then waits for cancellation.
    case halfBody
    /// Sends the head and half a body, then breaks off.
    case cutBody
  }

  private let recorder: Recorder
  private let steps: Locked<[Step]>
  private let sent = Locked([HTTPRequest]())

  init(_ recorder: Recorder, _ steps: [Step]) {
    self.recorder = recorder
    self.steps = Locked(steps)
  }

  var capabilities: TransportCapabilities { TransportCapabilities() }
  var requests: [HTTPRequest] { sent.withLock { $0 } }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    sent.withLock { $0.append(request.request) }
    let step = steps.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    recorder.add("transport")
    switch step {
    case .answer(let status, let text):
      return TransportResponse(head: HTTPResponse(status: status), body: BodyStream(Data(text.utf8)))
    case .redirect(let status, let location):
      return TransportResponse(
        head: HTTPResponse(status: status, headers: ["Location": location]),
        body: BodyStream(Data("moved".utf8)))
    case .failure(let error): throw error
    case .silence:
      let silence = SilentSource(recorder, chunks: 0)
      request.cancellation.onCancel { silence.cancel() }
      _ = try await silence.next()
      throw TransportError.cancelled
    case .halfBody:
      return TransportResponse(
        head: HTTPResponse(), body: BodyStream(SilentSource(recorder, chunks: 1)))
    case .cutBody:
      return TransportResponse(
        head: HTTPResponse(), body: BodyStream(SequenceSource(CutBody())))
    }
  }
}

struct CutBody: AsyncSequence, AsyncIteratorProtocol, Sendable {
  private var isBegun = false

  func makeAsyncIterator() -> CutBody { self }

  mutating func next() async throws -> Data? {
    if isBegun { throw TransportError(.connectionLost, "cut, token=s3cret") }
    isBegun = true
    return Data("half".utf8)
  }
}

/// Some chunks, then silence until cancellation.
final class SilentSource: BodySource {
  private let recorder: Recorder
  private let chunks: Locked<Int>
  private let cancelled = OneTime<Bool>()

  init(_ recorder: Recorder, chunks: Int) {
    self.recorder = recorder
    self.chunks = Locked(chunks)
  }

  func next() async throws -> Data? {
    let hasChunk = chunks.withLock { chunks in
      chunks -= 1
      return chunks >= 0
    }
    if hasChunk { return Data("half".utf8) }
    recorder.add("silence")
    // Only `cancel` ends the wait, as in a real transport.
    _ = await Task { [cancelled] in try? await cancelled.wait() }.value
    throw TransportError.cancelled
  }

  func cancel() { cancelled.set(true) }
}

extension RequestAgent {
  static func probing(
    _ recorder: Recorder, _ steps: [ProbeTransport.Step], configuration: AgentConfiguration = .init()
  ) -> RequestAgent {
    RequestAgent(
      baseURL: "http://example.com", transport: ProbeTransport(recorder, steps),
      hooks: [RecordingHooks(recorder: recorder)],
      accessories: [RecordingAccessory(recorder: recorder)], configuration: configuration)
  }
}
