import Errand
import Foundation

extension RecordingTransport {
  /// Writes what has been recorded so far, as a whole or not at all; what the file had stays in front.
  ///
  /// Does nothing when nothing was recorded. An exchange is recorded when its body has been read or given up. Throws a
  /// ``/Errand/TransportError`` of kind ``Errand/RequestError/Kind/recording`` when the file cannot be written.
  public func save() throws {
    try journal.save { recorded in
      guard !recorded.isEmpty else { return }
      try RecordedEntries.write(entries.entries + recorded, to: file)
    }
  }

  /// Runs `body` and then writes what was recorded; when `body` throws, nothing is written.
  ///
  ///     let user = try await RecordingTransport(file, mode: .recordMissing).saving { transport in
  ///       try await RequestAgent(baseURL: "https://api.example.com", transport: transport).send(GetUser(id: 7))
  ///     }
  ///
  /// `body` runs in the isolation of the caller. Throws what it throws, and what ``save()`` throws.
  public func saving<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (RecordingTransport) async throws -> sending Value
  ) async throws -> sending Value {
    let value = try await body(self)
    try save()
    return value
  }

  /// Sends a request and writes down what comes back, as it is read.
  func record(_ request: TransportRequest, body: Data) async throws -> TransportResponse {
    let number = journal.nextNumber()
    let (started, clock) = (Date(), ContinuousClock())
    let sent = clock.now
    let answer = try await transport.send(RecordingUpload.replacingStream(in: request, by: body))
    let source = RecordingSource(answer.body, cancellation: request.cancellation) {
      [self] data, summary, isWhole in
      let times = keepsTimes ? RecordedAnswer.Times(started: started, elapsed: clock.now - sent) : nil
      let exchange = RecordedAnswer(
        request: request.request, requestBody: body, head: answer.head, body: data, summary: summary,
        isWhole: isWhole, times: times)
      journal.add(HAREntry(exchange, redaction: redaction), number: number)
    }
    return TransportResponse(head: answer.head, body: BodyStream(source))
  }
}
