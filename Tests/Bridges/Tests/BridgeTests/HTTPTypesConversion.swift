import Errand
import Foundation
import HTTPTypes

/// A field or a URL that the other side cannot represent.
struct UnconvertibleMessage: Error {
  let part: String
}

extension HTTPHeaders {
  /// Creates headers with the order and the repeats of `fields`.
  init(_ fields: HTTPFields) {
    self.init(fields.map { Field(name: $0.name.rawName, value: $0.value) })
  }
}

extension HTTPFields {
  /// Creates fields with the order and the repeats of `headers`; throws for an invalid name or value.
  init(_ headers: HTTPHeaders) throws {
    self.init()
    for field in headers.fields {
      guard let name = HTTPField.Name(field.name), HTTPField.isValidValue(field.value) else {
        throw UnconvertibleMessage(part: "the field \(field.name)")
      }
      append(HTTPField(name: name, value: field.value))
    }
  }
}

extension Errand.HTTPRequest {
  /// Creates a request to an absolute URL; swift-http-types keeps bodies apart from requests.
  init(_ request: HTTPTypes.HTTPRequest, body: RequestBody = .none) throws {
    guard let scheme = request.scheme, let authority = request.authority,
      let url = URL(string: "\(scheme)://\(authority)\(request.path ?? "/")")
    else { throw UnconvertibleMessage(part: "the URL") }
    self.init(
      url: url, method: HTTPMethod(request.method.rawValue), headers: HTTPHeaders(request.headerFields),
      body: body)
  }
}

extension HTTPTypes.HTTPRequest {
  /// Creates a request without the body.
  init(_ request: Errand.HTTPRequest) throws {
    guard let method = Method(request.method.token) else { throw UnconvertibleMessage(part: "the method") }
    guard let parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true),
      let host = parts.percentEncodedHost
    else { throw UnconvertibleMessage(part: "the URL") }
    let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
    self.init(
      method: method, scheme: parts.scheme, authority: host + (parts.port.map { ":\($0)" } ?? ""),
      path: path + (parts.percentEncodedQuery.map { "?\($0)" } ?? ""),
      headerFields: try HTTPFields(request.headers))
  }
}

extension Errand.HTTPResponse {
  /// Creates a response; swift-http-types keeps bodies and trailers apart from responses.
  init(_ response: HTTPTypes.HTTPResponse, body: Data = Data(), trailers: HTTPFields? = nil) {
    self.init(
      status: Status(response.status.code), headers: HTTPHeaders(response.headerFields), body: body)
    if let trailers { self.trailers = HTTPHeaders(trailers) }
  }
}

extension HTTPTypes.HTTPResponse {
  /// Creates a response without the body and the trailers.
  init(_ response: Errand.HTTPResponse) throws {
    let status = response.status
    guard (0...999).contains(status.code) else { throw UnconvertibleMessage(part: "the status") }
    self.init(status: Status(code: status.code), headerFields: try HTTPFields(response.headers))
  }
}
