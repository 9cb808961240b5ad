import Foundation

/// One transfer for several dispatches: its answer is read whole, and given to each.
final class SharedTransfer: Sendable {
  /// What came of it, for each who waits to read for itself.
  struct Answer: Sendable {
    let head: HTTPResponse
    let body: Data
    let summary: TransportSummary
    /// Why the body broke off; `nil` where it did not.
    let failure: (any Error)?

    var response: TransportResponse {
      guard let failure else {
        return TransportResponse(head: head, body: BodyStream(body, summary: summary))
      }
      return TransportResponse(head: head, body: BodyStream(BrokenBody(body, failure, summary)))
    }
  }

  let end = OneTime<Result<Answer, any Error>>()
  /// Fires when the last one has left.
  let signal = CancellationSignal()
  /// Kept for as long as the transfer is found by it.
  private let transport: any Transport

  init(by transport: any Transport) { self.transport = transport }

  func run(_ request: TransportRequest) async -> Result<Answer, any Error> {
    do {
      let response = try await transport.send(request)
      return .success(await read(response, limit: request.limits.bodySize))
    } catch {
      return .failure(error)
    }
  }

  /// Reads the body, and gives it up past the limit: who reads the rest for itself finds that out.
  private func read(_ response: TransportResponse, limit: Int?) async -> Answer {
    let ending = signal.onCancel { response.body.cancel() }
    defer { signal.removeHandler(ending) }
    var (body, failure) = (Data(), (any Error)?.none)
    do {
      for try await chunk in response.body {
        if body.isEmpty { body = chunk } else { body.append(chunk) }
        if let limit, body.count > limit {
          response.body.cancel()
          break
        }
      }
    } catch {
      failure = error
    }
    return Answer(head: response.head, body: body, summary: response.body.summary, failure: failure)
  }
}

/// A body that gives what came of it and then breaks off.
private final class BrokenBody: BodySource {
  let summary: TransportSummary
  private let failure: any Error
  private let rest: Locked<Data?>

  init(_ body: Data, _ failure: any Error, _ summary: TransportSummary) {
    self.failure = failure
    self.summary = summary
    rest = Locked(body.isEmpty ? nil : body)
  }

  func next() async throws -> Data? {
    let chunk = rest.withLock { rest in
      defer { rest = nil }
      return rest
    }
    guard let chunk else { throw failure }
    return chunk
  }
}
