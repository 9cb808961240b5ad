public import Foundation

/// How ``Request/parameters`` are written: the body of methods that have one, and every query.
///
/// `.form` and `.json` are there; one of your own needs a content type and a closure:
///
/// ```swift
/// extension RequestSerializer {
///   static let lines = RequestSerializer(contentType: "text/plain") { parameters in
///     Data(parameters.keys.joined(separator: "\n").utf8)
///   }
/// }
/// ```
///
/// Empty parameters make no body and no `Content-Type`.
public struct RequestSerializer: Sendable {
  /// The `Content-Type` of the body, unless the headers have one.
  public let contentType: String
  /// How everything that goes into the query is written.
  public let encoding: ParameterEncoding

  private let encode: @Sendable (Parameters) throws -> Data

  /// Makes a serializer of a format of your own.
  ///
  /// - Parameters:
  ///   - contentType: the media type of the body.
  ///   - encoding: how the query is written; the default encoding by default.
  ///   - encode: writes parameters, which are never empty. What it throws becomes the cause of a ``RequestError`` of
  ///     kind ``RequestError/Kind/encoding``; nothing is sent then.
  public init(
    contentType: String, encoding: ParameterEncoding = ParameterEncoding(),
    encode: @escaping @Sendable (Parameters) throws -> Data
  ) {
    self.contentType = contentType
    self.encoding = encoding
    self.encode = encode
  }

  /// `application/x-www-form-urlencoded` in the default encoding.
  public static let form = form(ParameterEncoding())

  /// `application/x-www-form-urlencoded` in an encoding of your choice, for the query too.
  public static func form(_ encoding: ParameterEncoding) -> RequestSerializer {
    RequestSerializer(contentType: "application/x-www-form-urlencoded", encoding: encoding) {
      Data(try encoding.encode($0).utf8)
    }
  }

  /// `application/json`: members in the order they were written, numbers with every digit (RFC 8259).
  public static let json = json(query: ParameterEncoding())

  /// `application/json`, with an encoding of your choice for the query.
  public static func json(query encoding: ParameterEncoding) -> RequestSerializer {
    RequestSerializer(contentType: "application/json", encoding: encoding) { try JSONWriter.data(of: $0) }
  }

  /// The body; none when there is nothing to send, which a form of empty lists has neither.
  func body(of parameters: Parameters) throws -> RequestBody {
    guard !parameters.isEmpty else { return .none }
    let data = try encode(parameters)
    return data.isEmpty ? .none : .data(data, contentType: contentType)
  }

  /// The query, without `?`; empty when there is none.
  func query(of parameters: Parameters) throws -> String { try encoding.encode(parameters) }
}
