import Errand
import ErrandMocks
import Foundation

/// The clock advances automatically.
struct UploadBench {
  let clock = TestClock(autoAdvances: true)
  let transport: MockTransport
  let agent: RequestAgent
  let states = Recorder()
  let progress = Recorder()
  private let kept = Locked<[UploadProtocol.State]>([])

  init(
    baseURL: String = "https://mocked.example", accessories: [any Accessory] = [],
    _ configure: (inout AgentConfiguration) -> Void = { _ in },
    answer: @escaping @Sendable (ReceivedRequest) throws -> MockAnswer
  ) {
    transport = MockTransport(clock: clock, answer: answer)
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configure(&configuration)
    agent = RequestAgent(
      baseURL: URL(string: baseURL), transport: transport, accessories: accessories,
      configuration: configuration)
  }

  func upload(
    _ body: RequestBody, to request: some Request = .post("files"), by uploadProtocol: UploadProtocol,
    resuming state: UploadProtocol.State? = nil, maxFailures: Int = 10
  ) async throws -> UploadProtocol.Receipt {
    try await agent.upload(
      body, to: request, by: uploadProtocol, resuming: state, maxFailures: maxFailures,
      progress: { [progress] in progress.add("\($0.attempt): \($0)") },
      stateChanged: { [states, kept] state in
        states.add("\(state)")
        kept.withLock { $0.append(state) }
      })
  }

  var state: UploadProtocol.State? { kept.withLock(\.last) }

  /// Each with its offset and the length of its body.
  var log: [String] {
    transport.requests.map { request in
      let headers = request.headers
      let parts = [
        headers["X-Goog-Upload-Command"],
        (headers["Upload-Offset"] ?? headers["X-Goog-Upload-Offset"]).map { "at \($0)" },
        headers["Upload-Complete"], request.body.isEmpty ? nil : "\(request.body.count) bytes",
      ]
      return (["\(request.method) \(request.path)"] + parts.compactMap(\.self)).joined(separator: " ")
    }
  }

  /// A wrong offset is visible.
  static func content(_ count: Int) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7) })
  }

  /// In pieces of different lengths.
  static func pieces(_ data: Data) -> AsyncStream<Data> {
    AsyncStream { continuation in
      var (rest, length) = (data, 1)
      while !rest.isEmpty {
        continuation.yield(Data(rest.prefix(length)))
        rest = rest.dropFirst(length)
        length = length * 3 % 1_009 + 1
      }
      continuation.finish()
    }
  }
}
