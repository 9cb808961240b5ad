import Errand
import Foundation
import HTTPTypes
import OpenAPIRuntime

/// Sends the requests of a generated client with an agent.
///
/// The client judges the status, so a `RetryPolicy` covers connection failures only. Add `HTTPTypesConversion.swift` to the program.
struct AgentClientTransport {
  let agent: RequestAgent
}

private struct Operation {
  let customRequest: Errand.HTTPRequest?
  /// The name of the operation, for logs.
  let comment: String?
}

extension Operation: Request {
  typealias Response = Data
  var validators: [any ResponseValidator] { [] }
}

extension AgentClientTransport: ClientTransport {
  func send(
    _ request: HTTPTypes.HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String
  ) async throws -> (HTTPTypes.HTTPResponse, HTTPBody?) {
    guard let base = URLComponents(url: baseURL, resolvingAgainstBaseURL: true) else {
      throw UnconvertibleMessage(part: "the base URL")
    }
    // A generated client passes a path below the base URL.
    var request = request
    request.scheme = base.scheme
    request.authority = (base.percentEncodedHost ?? "") + (base.port.map { ":\($0)" } ?? "")
    let prefix = base.percentEncodedPath
    request.path = (prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix) + (request.path ?? "")

    let sent = try Errand.HTTPRequest(request, body: Self.body(body))
    let response = try await agent.stream(Operation(customRequest: sent, comment: operationID))
    let head = try HTTPTypes.HTTPResponse(response.head)
    if request.method == .head { return (head, nil) }
    let chunks = response.body.map { ArraySlice($0) }
    return (head, HTTPBody(chunks, length: .unknown, iterationBehavior: .single))
  }

  /// A body that can be read twice can be sent again.
  private static func body(_ body: HTTPBody?) -> RequestBody {
    guard let body else { return .none }
    var length: Int64?
    if case .known(let count) = body.length { length = count }
    let chunks = body.map { Data($0) }
    return body.iterationBehavior == .multiple
      ? .stream(length: length, restart: { chunks }) : .stream(chunks, length: length)
  }
}
