public import Errand
public import Foundation

/// A request received by a ``MockTransport`` or a ``MockServer``.
public struct ReceivedRequest: Sendable {
  /// The number of the request, from 1 in the order of complete arrival.
  public let number: Int
  /// The number of the connection to the server, from 1; `nil` in a transport.
  public let connection: Int?
  /// The method.
  public let method: HTTPMethod
  /// The header fields in the order of receipt.
  public let headers: HTTPHeaders
  /// The bytes of the body, without chunk framing.
  public let body: Data
  /// The trailers after the body (RFC 9112 section 7.1.2).
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
  /// The absolute URL; in a server, `nil` for an invalid URL, for `*` and for `CONNECT`.
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
  /// The parts of a `multipart/*` body; empty for a malformed body and for other types.
  public var parts: [BodyPart] {
    (try? MultipartParser.parts(of: body, contentType: headers["Content-Type"])) ?? []
  }
  /// The decoded values of the stub's path variables, such as `id`.
  ///
  /// Empty for the requests in `requests` of a mock.
  public var variables: [String: String] { matched ?? [:] }

  /// Returns the decoded value of the first query item with the name.
  public func queryItem(_ name: String) -> String? { FormItems(query ?? "").values(for: name).first }

  /// Returns the value of the first cookie with the name, not decoded.
  public func cookie(_ name: String) -> String? {
    cookies.first { $0.name.isWritten(as: name) }?.value
  }

  /// Returns the value decoded from the JSON body.
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
  /// The method, target, header fields and length of the body, with secrets hidden.
  public var description: String {
    let fields = headers.fields.map(\.description)
    return (["\(method) \(Redaction.standard.target(target))"] + fields + ["(\(body.count) bytes)"])
      .joined(separator: "\n").printed
  }
}
