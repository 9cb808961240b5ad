#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Foundation

extension HTTPRequest {
  /// Takes over the URL, method, headers and body of a `URLRequest`, so that code that has one need not change.
  ///
  /// Fields that frame the message are left out; a body stream cannot be read twice and is not taken over either.
  ///
  /// - Returns: `nil` when it has no URL or its body is a stream.
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
  /// Makes a `URLRequest` of a request, for code that needs one.
  ///
  /// Fields of the same name are joined with `", "`, as `URLRequest` has one value a name.
  ///
  /// - Returns: `nil` when the body is a stream, a file or a document of parts, or a value not encoded yet, and when there are
  ///   trailers.
  public init?(_ request: HTTPRequest) {
    guard request.trailers.isEmpty else { return nil }
    self.init(url: request.url)
    httpMethod = request.method.token
    setValue(request.body.contentType, forHTTPHeaderField: "Content-Type")
    for field in request.headers.fields {
      setValue(request.headers[field.name], forHTTPHeaderField: field.name)
    }
    switch request.body.storage {
    case .none, .automatic: break
    case .data(let data, _): httpBody = data
    case .json, .provided: return nil
    }
  }
}

extension HTTPResponse {
  /// Takes over a response of `URLSession`, sorted by name as its order is not known.
  public init(_ response: HTTPURLResponse, body: Data = Data()) {
    // What is a text already is not described anew, which takes its time.
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
  /// Makes an `HTTPURLResponse` of a response, for code that needs one; its body is not part of it.
  ///
  /// - Returns: `nil` when the response has no URL.
  public convenience init?(_ response: HTTPResponse) {
    guard let url = response.url else { return nil }
    var fields: [String: String] = [:]
    for field in response.headers.fields { fields[field.name] = response.headers[field.name] }
    self.init(url: url, statusCode: response.status.code, httpVersion: "HTTP/1.1", headerFields: fields)
  }
}
