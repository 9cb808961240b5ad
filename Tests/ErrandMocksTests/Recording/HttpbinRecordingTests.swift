import Errand
import ErrandMocks
import Foundation
import Testing

/// Records calls of httpbin, which `.ci/run` starts, and replays the calls without httpbin.
///
/// `ERRAND_RECORDING` names a file for the recording. `.ci/run` checks the file with HAR readers of other
/// projects.
@Suite(
  "A recording of httpbin",
  .enabled(
    if: ProcessInfo.processInfo.environment["ERRAND_HTTPBIN"] != nil,
    "set ERRAND_HTTPBIN to the URL of an httpbin to run these"))
struct HttpbinRecordingTests {
  /// A call with any method, path, body and headers.
  ///
  /// The value is the response itself.
  struct Call: Request {
    typealias Response = HTTPResponse
    var method: HTTPMethod = .get
    var path: String
    var headers: HTTPHeaders = [:]
    var query: Parameters = [:]
    var parameters: Parameters = [:]
    var requestSerializer: RequestSerializer = .form
    var body: RequestBody = .automatic
    var redirectPolicy: RedirectPolicy = .inherited
    var validators: [any ResponseValidator] = []
  }

  /// The result of a dispatch: the response, if any, and the text of an error.
  struct Outcome: Equatable {
    var response: HTTPResponse?
    var redirects: [String] = []
    var error: String?
  }

  static let calls: [Call] = {
    var calls: [Call] = []
    for method: HTTPMethod in [.get, .post, .put, .patch, .delete] {
      calls.append(Call(method: method, path: "anything/\(method)"))
      calls.append(Call(method: method, path: "anything", query: ["q": "é &=+", "list": [1, 2]]))
      calls.append(
        Call(method: method, path: "anything", headers: ["X-A": "1", "Accept": "text/plain, */*"]))
    }
    for method: HTTPMethod in [.post, .put, .patch] {
      calls.append(Call(method: method, path: "anything", parameters: ["a": "x y", "b": ["n": 1]]))
      calls.append(
        Call(method: method, path: "anything", parameters: ["a": "\u{1F600}"], requestSerializer: .json))
      calls.append(Call(method: method, path: "anything", body: .text("plain ü")))
      calls.append(Call(method: method, path: "anything", body: .data(Data(0...255), contentType: "image/x")))
      calls.append(Call(method: method, path: "anything", body: stream("streamed \(method) ")))
    }
    for code in [200, 201, 202, 204, 205, 304, 400, 401, 403, 404, 405, 406, 410, 418, 429, 500, 502, 503] {
      calls.append(Call(path: "status/\(code)"))
      calls.append(Call(path: "status/\(code)", validators: [.status(200..<300)]))
    }
    for path in [
      "redirect/1", "redirect/3", "absolute-redirect/2", "relative-redirect/2", "gzip", "deflate", "brotli",
      "html",
      "xml", "json", "robots.txt", "deny", "encoding/utf8", "image/png", "image/jpeg", "image/svg",
      "image/webp",
      "bytes/0?seed=1", "bytes/1?seed=2", "bytes/100000?seed=3", "stream-bytes/5000?seed=4&chunk_size=100",
      "stream/3", "base64/w6k=", "cache", "etag/x", "links/3/1", "response-headers?X-B=%C3%A9&X-B=2",
      "headers",
      "user-agent", "ip", "get", "basic-auth/ada/x",
    ] { calls.append(Call(path: path)) }
    calls.append(Call(method: .head, path: "get"))
    calls.append(Call(method: .options, path: "get"))
    calls.append(Call(method: .post, path: "redirect-to", query: ["url": "/anything", "status_code": 307]))
    calls.append(Call(path: "redirect/1", redirectPolicy: .none))
    calls.append(Call(path: "cookies/set?session=canary"))
    calls.append(Call(path: "bearer", headers: ["Authorization": "Bearer canary"]))
    return calls
  }()

  private static func stream(_ text: String) -> RequestBody {
    .stream(contentType: "text/plain") {
      AsyncStream<Data> { chunks in
        for index in 0..<10 { chunks.yield(Data("\(text)\(index)\n".utf8)) }
        chunks.finish()
      }
    }
  }

  func outcomes(over transport: any Transport, at base: String) async throws -> [Outcome] {
    let agent = RequestAgent(baseURL: base, transport: transport)
    var outcomes: [Outcome] = []
    for call in Self.calls {
      do {
        let received = try await agent.response(for: call)
        outcomes.append(
          Outcome(
            response: received.response,
            redirects: received.report.attempts.flatMap(\.redirects).map { "\($0.status.code) \($0.to)" }))
      } catch let error as RequestError {
        outcomes.append(Outcome(response: error.response, error: "\(error.kind): \(error.reason)"))
      }
    }
    return outcomes
  }

  /// Redacts a secret that the server echoed.
  ///
  /// Only such secrets are not replayed.
  static func redacted(_ outcome: Outcome) -> Outcome {
    var outcome = outcome
    guard let body = outcome.response?.body, body.range(of: Data("canary".utf8)) != nil else {
      return outcome
    }
    let text = String(decoding: body, as: UTF8.self).replacing("canary", with: Redaction.marker)
    outcome.response?.body = Data(text.utf8)
    return outcome
  }

  @Test("100 exchanges are replayed without the server, byte for byte")
  func replayed() async throws {
    let base = try #require(ProcessInfo.processInfo.environment["ERRAND_HTTPBIN"])
    let folder = RecordingFolder()
    let named = ProcessInfo.processInfo.environment["ERRAND_RECORDING"]
    let file = named.map { URL(fileURLWithPath: $0) } ?? folder.file("httpbin.har")

    let live = try await RecordingTransport(file, mode: .recordAll).saving {
      try await outcomes(over: $0, at: base)
    }
    let offline = MockTransport { _ in throw TransportError(.connectionFailed, "there is no server") }
    let replay = try RecordingTransport(file, over: offline)
    let replayed = try await outcomes(over: replay, at: base)
    for (index, outcome) in live.enumerated() where replayed[index] != Self.redacted(outcome) {
      Issue.record("\(Self.calls[index].method) \(Self.calls[index].path): \(outcome) \(replayed[index])")
    }
    try replay.checkAllUsed()
    #expect(Self.calls.count >= 100)
    #expect(try !String(contentsOf: file, encoding: .utf8).contains("canary"))
  }
}
