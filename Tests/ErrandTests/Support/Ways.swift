import Errand
import Foundation

/// URLs in the table are redirected; others return status 200 with the URL as body.
extension FunctionTransport {
  static func leading(_ ways: [String: String], status: HTTPResponse.Status = 302) -> FunctionTransport {
    FunctionTransport { request, _ in
      let url = request.url.absoluteString
      guard let location = ways[url] else { return HTTPResponse(body: Data(url.utf8)) }
      return HTTPResponse(status: status, headers: ["Location": location], body: Data("moved".utf8))
    }
  }

  /// Such as `GET http://a/b`.
  var lines: [String] { requests.map { "\($0.method) \($0.url.absoluteString)" } }
}

struct DecidingHooks: RequestHooks {
  let decide:
    @Sendable (inout HTTPRequest, HTTPResponse, RequestContext) async throws -> RedirectPolicy.Decision

  func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectPolicy.Decision {
    try await decide(&request, response, context)
  }
}
