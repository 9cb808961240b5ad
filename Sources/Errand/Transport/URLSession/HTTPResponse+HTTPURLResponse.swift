#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Foundation

extension HTTPResponse {
  /// Takes over a response of `URLSession`, sorted by name as its order is not known.
  public init(_ response: HTTPURLResponse, body: Data = Data()) {
    let pairs = response.allHeaderFields.map { (String(describing: $0.key), String(describing: $0.value)) }
    let fields = pairs.sorted { $0.0 < $1.0 }.map { HTTPHeaders.Field(name: $0.0, value: $0.1) }
    self.init(
      status: HTTPStatus(response.statusCode), headers: HTTPHeaders(fields), body: body, url: response.url)
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
