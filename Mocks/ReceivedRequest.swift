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
  /// The request target as it was written (RFC 9112 section 3.2): `/users/7?full=1`.
  public let target: String
  /// The header fields in the order in which they came.
  public let headers: HTTPHeaders
  /// The exact bytes of the body, without the framing of chunks; empty when there is none.
  public let body: Data
  /// The fields after a chunked body (RFC 9112 section 7.1.2).
  public let trailers: HTTPHeaders

  /// Where it goes; knows the origin too.
  let place: RequestTarget
  private let urlText: String

  /// The whole URL: in a transport as given, in a server made of `Host` and target; `nil` when that is no URL.
  public var url: URL? { URL(string: urlText) }
  /// The path as written, without the query; not percent-decoded.
  public var path: String { place.path }
  /// The query as written, without its `?`; `nil` when there is none.
  public var query: String? { place.query }
  /// The body as UTF-8; invalid bytes become U+FFFD.
  public var text: String { String(decoding: body, as: UTF8.self) }
}

extension ReceivedRequest {
  /// What a transport was given, its body drained.
  init(number: Int, _ request: HTTPRequest, body: Data) {
    let text = request.url.absoluteString
    let place = RequestTarget(text)
    self.init(
      number: number, connection: nil, method: request.method,
      target: place.path + (place.query.map { "?\($0)" } ?? ""), headers: request.headers, body: body,
      trailers: [:], place: place, urlText: text)
  }

  /// What a server read.
  init(number: Int, connection: Int, _ message: RequestMessage) {
    let origin = "http://\(message.headers["Host"] ?? "")"
    var place = RequestTarget(message.target)
    // The other forms are a whole URL, an authority and an asterisk.
    let urlText = message.target.hasPrefix("/") ? origin + message.target : message.target
    if place.origin == nil { place.origin = RequestTarget(origin).origin }
    self.init(
      number: number, connection: connection, method: HTTPMethod(message.method), target: message.target,
      headers: message.headers, body: message.body, trailers: message.trailers, place: place,
      urlText: place.path == "*" ? "" : urlText)
  }
}
