public import Errand
public import Foundation

/// A request received by a ``MockTransport`` or a ``MockServer``.
public struct ReceivedRequest: Sendable {
  /// The number of the request, counted by the mock from 1 in the order of complete arrival.
  public let number: Int
  /// The number of the server's connection, starting at 1; `nil` in a transport.
  public let connection: Int?
  /// The method.
  public let method: HTTPMethod
  /// The header fields in the order of receipt.
  public let headers: HTTPHeaders
  /// The exact bytes of the body, without chunk framing; empty without a body.
  public let body: Data
  /// The trailers after the body (RFC 9112 section 7.1.2), including computed trailers.
  public let trailers: HTTPHeaders
  /// The TLS parameters; `nil` without TLS and in a transport.
  public let tls: TLS?

  private let address: Address
  private var matched: [String: String]?

  /// The request target (RFC 9112 section 3.2), not decoded: `/users/7?full=1`.
  public var target: String {
    switch address {
    case .url: place.path + (place.query.map { "?\($0)" } ?? "")
    case .target(let target, _): target
    }
  }
  /// The whole URL; `nil` if the URL is invalid, and for the target `*` or the authority of a `CONNECT`.
  ///
  /// For a target such as `/users/7`, a server takes the host from the `Host` field.
  public var url: URL? {
    switch address {
    case .url(let location): location.url.absoluteURL
    // A target without a leading `/` is an absolute URL, an authority or `*` (RFC 9112 section 3.2).
    case .target(let target, let origin):
      if target.hasPrefix("/") {
        URL(string: origin + target)
      } else {
        RequestTarget(target).writtenOrigin.flatMap { _ in URL(string: target) }
      }
    }
  }
  /// The path without the query, not decoded.
  public var path: String { place.path }
  /// The query without `?`, not decoded; `nil` without a query.
  public var query: String? { place.query }
  /// The body as UTF-8; invalid bytes become U+FFFD.
  public var text: String { String(decoding: body, as: UTF8.self) }
  /// The parts of a `multipart/*` body, such as the fields and files of a form.
  ///
  /// Empty if the body is malformed or of a different type.
  public var parts: [BodyPart] {
    (try? MultipartParser.parts(of: body, contentType: headers["Content-Type"])) ?? []
  }
  /// The decoded values of the path variables of the answering stub: `["id": "7"]` for `/users/{id}`.
  ///
  /// Set in closures and conditions of a stub, in ``Stub/calls`` and in ``StubbedMock/calls(of:)``. Empty in
  /// the request list of a mock.
  public var variables: [String: String] { matched ?? [:] }

  /// Returns the decoded value of the first query item with the name; `nil` without a match.
  public func queryItem(_ name: String) -> String? { FormItems(query ?? "").values(for: name).first }

  /// Returns the value of the first cookie with the name in the `Cookie` field; `nil` without a match.
  ///
  /// The value is not decoded (RFC 6265 section 4.2).
  public func cookie(_ name: String) -> String? {
    cookies.first { $0.name.isWritten(as: name) }?.value
  }

  /// Returns the value decoded from the JSON body; rethrows errors of the decoder.
  public func json<Value: Decodable>(
    as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    try decoder.decode(type, from: body)
  }
}

extension ReceivedRequest {
  private enum Address {
    case url(WrittenURL)
    case target(String, origin: String)
  }

  var place: RequestTarget {
    switch address {
    case .url(let location): return RequestTarget(location.text)
    case .target(let target, let origin):
      var place = RequestTarget(target)
      if place.writtenOrigin == nil { place.writtenOrigin = RequestTarget(origin).writtenOrigin }
      return place
    }
  }

  var cookies: [(name: String, value: String)] {
    headers.values(for: "Cookie").flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }.map { pair in
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      let value = pair[name.endIndex...].dropFirst()
      return (Self.trimmed(Substring(name)), Self.trimmed(Substring(value)))
    }
  }

  private static func trimmed(_ text: Substring) -> String { text.trimmingCharacters(in: .whitespaces) }

  func filled(for pattern: RequestPattern) -> ReceivedRequest {
    guard pattern.hasVariables else { return self }
    var place = place
    return filled(for: pattern, in: &place)
  }

  func filled(for pattern: RequestPattern, in place: inout RequestTarget) -> ReceivedRequest {
    guard pattern.hasVariables else { return self }
    var copy = self
    copy.matched = pattern.variables(in: &place)
    return copy
  }

  init(number: Int, _ request: HTTPRequest, body: Data, trailers: HTTPHeaders) {
    self.init(
      number: number, connection: nil, method: request.method, headers: request.headers, body: body,
      trailers: trailers, tls: nil, address: .url(request.location))
  }

  /// The request with the whole URL; `nil` without a ``url``.
  var sent: HTTPRequest? {
    url.map { url in
      var request = HTTPRequest(url: url, method: method, headers: headers, body: .data(body))
      request.trailers = RequestTrailers(trailers)
      return request
    }
  }

  init(number: Int, connection: Int, message: RequestMessage, tls: TLS?) {
    self.init(
      number: number, connection: connection, method: HTTPMethod(message.method),
      headers: message.headers, body: message.body, trailers: message.trailers, tls: tls,
      address: .target(
        message.target, origin: "\(tls == nil ? "http" : "https")://\(message.headers["Host"] ?? "")"))
  }
}

extension ReceivedRequest: PrintedByDescription {
  /// The method and the target, the header fields and the length of the body.
  ///
  /// Secrets are hidden by ``/Errand/Redaction/standard``.
  public var description: String {
    let fields = headers.fields.map(\.description)
    return (["\(method) \(Redaction.standard.target(target))"] + fields + ["(\(body.count) bytes)"])
      .joined(separator: "\n").printed
  }
}
