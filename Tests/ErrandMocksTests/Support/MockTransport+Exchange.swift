import Errand
import ErrandMocks
import Foundation
import Testing

extension MockTransport {
  /// Sends a request, and returns the response head and the whole body.
  @discardableResult
  func exchange(
    _ method: HTTPMethod, _ url: String, headers: HTTPHeaders = [:], body: RequestBody = .none,
    timeout: Duration = .seconds(60), cancellation: CancellationSignal = CancellationSignal()
  ) async throws -> (head: HTTPResponse, body: String) {
    let request = HTTPRequest(
      url: try #require(URL(string: url)), method: method, headers: headers, body: body)
    let response = try await send(
      TransportRequest(request, timeout: timeout, cancellation: cancellation))
    var bytes = Data()
    for try await chunk in response.body { bytes.append(chunk) }
    return (response.head, String(decoding: bytes, as: UTF8.self))
  }
}

extension MockTransport {
  /// Returns the error message for a request without a matching stub.
  func refusal(
    of method: HTTPMethod, _ url: String, headers: HTTPHeaders = [:], body: RequestBody = .none
  ) async throws -> String {
    let error = await #expect(throws: TransportError.self) {
      try await exchange(method, url, headers: headers, body: body)
    }
    #expect(error?.kind == .unmatchedStub)
    return try #require(error).message
  }
}
