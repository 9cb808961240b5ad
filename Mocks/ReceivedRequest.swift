public import Errand
public import Foundation

/// A request as a ``MockTransport`` or a ``MockServer`` received it.
public struct ReceivedRequest: Sendable {
  /// Its number among all that the mock received, from 1, in the order in which they were complete.
  public let number: Int
  /// The number of the server's connection it came over, from 1; `nil` in a transport.
  public let connection: Int?
  /// The method.
  public let method: HTTPMethod
  /// The header fields in the order in which they came.
  public let headers: HTTPHeaders
  /// The exact bytes of the body, without the framing of chunks; empty when there is none.
  public let body: Data
  /// The fields after a chunked body (RFC 9112 section 7.1.2), and in a transport the request's, computed.
  public let trailers: HTTPHeaders
  /// What TLS agreed on; `nil` without TLS, and in a transport.
  public let tls: TLS?

  private let address: Address
  /// `nil` where no stub with variables is asked: most have none, and a dictionary would be copied for each.
  private var matched: [String: String]?

  /// The request target as it was written (RFC 9112 section 3.2): `/users/7?full=1`.
  public var target: String {
    switch address {
    case .url: place.path + (place.query.map { "?\($0)" } ?? "")
    case .target(let target, _): target
    }
  }
  /// The whole URL: in a transport as given, in a server made of `Host` and target; `nil` when that is no URL.
  public var url: URL? {
    switch address {
    case .url(let url): url.absoluteURL
    // The other forms are a whole URL, an authority and an asterisk.
    case .target(let target, let origin):
      place.path == "*" ? nil : URL(string: target.hasPrefix("/") ? origin + target : target)
    }
  }
  /// The path as written, without the query; not percent-decoded.
  public var path: String { place.path }
  /// The query as written, without its `?`; `nil` when there is none.
  public var query: String? { place.query }
  /// The body as UTF-8; invalid bytes become U+FFFD.
  public var text: String { String(decoding: body, as: UTF8.self) }
  /// The parts of a `multipart/*` body, such as the fields and files of a form; none where the body is none of these, or broken.
  public var parts: [BodyPart] {
    (try? MultipartParser.parts(of: body, contentType: headers["Content-Type"])) ?? []
  }
  /// The values of the variables in the path of the stub that answers it, decoded: `["id": "7"]` for `/users/{id}`.
  ///
  /// They are there for the closures of a stub and in its ``Stub/calls``, and empty elsewhere.
  public var variables: [String: String] { matched ?? [:] }

  /// The value of the first item of the query with that name, decoded; `nil` when there is none.
  public func queryItem(_ name: String) -> String? { FormItems(query ?? "").values(for: name).first }

  /// The value of the first cookie of that name in the `Cookie` field (RFC 6265 section 4.2), as it was sent; `nil` when
  /// there is none.
  public func cookie(_ name: String) -> String? {
    cookies.first { $0.name.isWritten(as: name) }?.value
  }

  /// The value that is encoded in its body as JSON.
  ///
  /// Throws what the decoder throws.
  public func json<Value: Decodable>(
    as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    try decoder.decode(type, from: body)
  }
}

extension ReceivedRequest {
  /// Where a request goes, kept as it came: most are never asked, and taking it apart takes time.
  private enum Address {
    case url(URL)
    case target(String, origin: String)
  }

  /// Where it goes; knows the origin too.
  var place: RequestTarget {
    switch address {
    case .url(let url): return RequestTarget(url.absoluteString)
    case .target(let target, let origin):
      var place = RequestTarget(target)
      if place.writtenOrigin == nil { place.writtenOrigin = RequestTarget(origin).writtenOrigin }
      return place
    }
  }

  /// The pairs of its `Cookie` fields, without the blanks around them.
  var cookies: [(name: String, value: String)] {
    headers.values(for: "Cookie").flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }.map { pair in
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      let value = pair[name.endIndex...].dropFirst()
      return (Self.trimmed(Substring(name)), Self.trimmed(Substring(value)))
    }
  }

  private static func trimmed(_ text: Substring) -> String { text.trimmingCharacters(in: .whitespaces) }

  /// The same with the values that it has for a stub's path.
  func filled(for pattern: RequestPattern) -> ReceivedRequest {
    guard pattern.hasVariables else { return self }
    var place = place
    return filled(for: pattern, in: &place)
  }

  /// The same of one whose place was taken apart before, for many stubs.
  func filled(for pattern: RequestPattern, in place: inout RequestTarget) -> ReceivedRequest {
    guard pattern.hasVariables else { return self }
    var copy = self
    copy.matched = pattern.variables(in: &place)
    return copy
  }

  /// What a transport was given, its body drained.
  init(number: Int, _ request: HTTPRequest, body: Data, trailers: HTTPHeaders) {
    self.init(
      number: number, connection: nil, method: request.method, headers: request.headers, body: body,
      trailers: trailers, tls: nil, address: .url(request.url))
  }

  /// As a transport would be given it; `nil` when its URL is none.
  var sent: HTTPRequest? {
    url.map { url in
      var request = HTTPRequest(url: url, method: method, headers: headers, body: .data(body))
      request.trailers = RequestTrailers(trailers)
      return request
    }
  }

  /// What a server read.
  init(number: Int, connection: Int, message: RequestMessage, tls: TLS?) {
    self.init(
      number: number, connection: connection, method: HTTPMethod(message.method),
      headers: message.headers, body: message.body, trailers: message.trailers, tls: tls,
      address: .target(
        message.target, origin: "\(tls == nil ? "http" : "https")://\(message.headers["Host"] ?? "")"))
  }
}

extension ReceivedRequest: PrintedByDescription {
  /// The method and the target on the first line, then the headers and the length of the body; secrets hidden by
  /// ``/Errand/Redaction/standard``, as what a test prints ends in the logs of a build machine.
  public var description: String {
    let fields = headers.fields.map(\.description)
    return (["\(method) \(Redaction.standard.target(target))"] + fields + ["(\(body.count) bytes)"])
      .joined(separator: "\n").printed
  }
}
