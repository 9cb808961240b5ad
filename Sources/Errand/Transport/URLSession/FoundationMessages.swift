#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Foundation

extension HTTPRequest {
  /// Creates a request from a `URLRequest`; `nil` without a URL, or with a body stream.
  ///
  /// The fields `Host`, `Content-Length` and `Transfer-Encoding` are left out.
  public init?(_ request: URLRequest) {
    guard let url = request.url, request.httpBodyStream == nil else { return nil }
    var headers = HTTPHeaders()
    for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key })
    where !HTTPHeaders.isFraming(name) { headers.add(name, value) }
    self.init(
      url: url, method: HTTPMethod(request.httpMethod ?? "GET"), headers: headers,
      body: request.httpBody.map { .data($0) } ?? .none)
  }
}

extension URLRequest {
  /// Creates a `URLRequest`.
  ///
  /// Fields of the same name are joined with `", "`, and `Cookie` fields with `"; "`.
  ///
  /// - Returns: `nil` if the request has trailers, or a body other than bytes in memory.
  public init?(_ request: HTTPRequest) {
    guard request.trailers.isEmpty, request.body.isInMemory else { return nil }
    self.init(withoutStreams: request)
  }

  /// Creates a `URLRequest` for a background transfer.
  ///
  /// Leaves out trailers, and a body that is not in memory.
  package init(background request: HTTPRequest, over access: NetworkAccess) {
    self.init(withoutStreams: request)
    restrict(to: access)
  }

  private init(withoutStreams request: HTTPRequest) {
    self.init(url: request.url)
    httpMethod = request.method.token
    setValue(request.body.contentType, forHTTPHeaderField: "Content-Type")
    for (name, value) in request.headers.joined { setValue(value, forHTTPHeaderField: name) }
    httpBody = request.body.data
  }
}

extension HTTPResponse {
  /// Creates a response from a response of `URLSession`.
  ///
  /// The fields are sorted by name.
  public init(_ response: HTTPURLResponse, body: Data = Data()) {
    let pairs = response.allHeaderFields.map { name, value in
      (name.base as? String ?? String(describing: name), value as? String ?? String(describing: value))
    }
    let fields = pairs.sorted { $0.0 < $1.0 }.map { HTTPHeaders.Field(name: $0.0, value: $0.1) }
    self.init(
      status: HTTPResponse.Status(response.statusCode), headers: HTTPHeaders(fields), body: body,
      url: response.url)
  }
}

extension HTTPURLResponse {
  /// Creates an `HTTPURLResponse` without the body of the response.
  ///
  /// - Returns: `nil` if the response has no URL, or if Foundation refuses the values.
  public convenience init?(_ response: HTTPResponse) {
    guard let url = response.url else { return nil }
    var fields: [String: String] = [:]
    for field in response.headers.fields { fields[field.name] = response.headers[field.name] }
    self.init(url: url, statusCode: response.status.code, httpVersion: "HTTP/1.1", headerFields: fields)
  }
}
