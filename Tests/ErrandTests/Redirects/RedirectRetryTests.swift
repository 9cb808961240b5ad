import Errand
import Foundation
import Testing

@Suite("Redirects and attempts")
struct RedirectRetryTests {
  /// Redirects `/1` to `/2`; the first request to `/2` fails.
  private func transport() -> FunctionTransport {
    FunctionTransport { request, number in
      if request.url.path == "/1" { return HTTPResponse(status: 303, headers: ["Location": "/2"]) }
      return HTTPResponse(status: number == 2 ? 503 : 200)
    }
  }

  private func send(
    _ method: HTTPMethod, _ transport: FunctionTransport, _ policy: RetryPolicy, body: RequestBody = .none
  ) async -> RequestError? {
    let agent = RequestAgent(baseURL: "http://a", transport: transport)
    let call = OneOffRequest<Void>("1", method: method, body: body, response: .none)
    do {
      try await agent.send(call.with(\.retryPolicy, policy))
      return nil
    } catch { return error as? RequestError }
  }

  @Test("A retry starts with the first request")
  func again() async {
    let transport = transport()
    #expect(await send(.put, transport, .upTo(2, backoff: .constant())) == nil)
    #expect(transport.lines == ["PUT http://a/1", "GET http://a/2", "PUT http://a/1", "GET http://a/2"])
  }

  @Test("A POST is not sent again if the GET after its redirect fails")
  func unsafe() async {
    let transport = transport()
    #expect(await send(.post, transport, .upTo(2, backoff: .constant()))?.status == 503)
    #expect(transport.lines == ["POST http://a/1", "GET http://a/2"])
  }

  @Test("A one-shot body is not sent again, even if the failed hop has no body")
  func oneShot() async {
    let transport = transport()
    let body = RequestBody.stream(AsyncStream<Data> { $0.finish() })
    #expect(await send(.put, transport, .upTo(2, backoff: .constant()), body: body)?.status == 503)
    #expect(transport.lines == ["PUT http://a/1", "GET http://a/2"])
  }
}
