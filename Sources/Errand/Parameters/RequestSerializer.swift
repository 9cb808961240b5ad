import ErrandJSON
public import Foundation

/// How ``Request/parameters`` are written: the body of methods that have one, and every query.
///
/// `.form`, `.multipart` and `.json` are there; one of your own needs a content type and a closure:
///
/// ```swift
/// extension RequestSerializer {
///   static let lines = RequestSerializer(contentType: "text/plain") { parameters in
///     Data(parameters.keys.joined(separator: "\n").utf8)
///   }
/// }
/// ```
///
/// Empty parameters make no body and no `Content-Type`. A file among the parameters makes a form one of parts, by itself.
public struct RequestSerializer: Sendable {
  /// The `Content-Type` of the body, unless the headers have one.
  public let contentType: String
  /// How everything that goes into the query is written.
  public let encoding: ParameterEncoding

  /// When the body is made of parts.
  enum Parts { case always, forFiles, never }

  let parts: Parts
  /// Whether bodies are compressed.
  var isGzipped = false
  /// Writes parameters; what is JSON, by the coding of the dispatch.
  let encode: @Sendable (Parameters, @escaping () -> JSONCoding) throws -> Data

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
    self.init(contentType: contentType, encoding: encoding, parts: .never) { parameters, _ in
      try encode(parameters)
    }
  }

  private init(
    contentType: String, encoding: ParameterEncoding, parts: Parts,
    encode: @escaping @Sendable (Parameters, @escaping () -> JSONCoding) throws -> Data
  ) {
    self.contentType = contentType
    self.encoding = encoding
    self.parts = parts
    self.encode = encode
  }

  /// `application/x-www-form-urlencoded` in the default encoding; `multipart/form-data` where there is a file.
  public static let form = form(ParameterEncoding())

  /// `application/x-www-form-urlencoded` in an encoding of your choice, for the query and the names of parts too.
  public static func form(_ encoding: ParameterEncoding) -> RequestSerializer {
    RequestSerializer(contentType: "application/x-www-form-urlencoded", encoding: encoding, parts: .forFiles)
    { parameters, _ in
      Data(try encoding.encode(parameters).utf8)
    }
  }

  /// `multipart/form-data` (RFC 7578), also where there is no file; see ``RequestBody/multipart(_:encoding:boundary:)``.
  public static let multipart = multipart(ParameterEncoding())

  /// `multipart/form-data` in an encoding of your choice, for the query and the names of parts.
  public static func multipart(_ encoding: ParameterEncoding) -> RequestSerializer {
    RequestSerializer(contentType: MIMEType.formData.rawValue, encoding: encoding, parts: .always) { _, _ in
      Data()
    }
  }

  /// `application/json`: members in the order they were written, numbers with every digit (RFC 8259).
  ///
  /// Dates and bytes are written as the dispatch writes those of `.json(value)`, by the request's ``Request/jsonEncoder`` or
  /// ``Request/jsonCoding``, else by the agent's; where that says nothing of dates, its default being seconds since 2001, they are RFC
  /// 3339 text in UTC. Keys are sent as they are written. JSON has no place for files, nor for a key that is there twice: either is an
  /// error of kind ``RequestError/Kind/encoding``.
  public static let json = json(query: ParameterEncoding())

  /// `application/json`, with an encoding of your choice for the query.
  public static func json(query encoding: ParameterEncoding) -> RequestSerializer {
    RequestSerializer(contentType: "application/json", encoding: encoding, parts: .never) {
      parameters, coding in
      try JSONWriter.data(of: parameters, coding: coding)
    }
  }

  /// The formats that a body of parameters may have.
  private enum Format {
    case json, form, parts

    /// `nil` for any other type.
    init?(_ type: String) {
      guard let media = MediaType(type) else { return nil }
      if media.isJSON {
        self = .json
      } else if media.isForm {
        self = .form
      } else if media.description == MIMEType.formData.rawValue {
        self = .parts
      } else {
        return nil
      }
    }
  }

  /// The serializer whose bodies have the `Content-Type` that the headers of a request state: ``json`` in place of a form under a type of JSON.
  ///
  /// Throws where the bytes would be of another format than the headers say.
  func fitting(_ type: String?) throws(Refusal) -> RequestSerializer {
    guard let type, let stated = Format(type), let own = Format(contentType), stated != own else {
      return self
    }
    if stated != .form, parts == .forFiles {
      // Of parts the header has to have the boundary: it is judged with the body.
      var serializer = stated == .json ? Self.json(query: encoding) : Self.multipart(encoding)
      serializer.isGzipped = isGzipped
      return serializer
    }
    throw Refusal(
      "the header Content-Type, \(type), is not the type of the requestSerializer, \(contentType): leave the header out, as the body "
        + "brings its own, or state another requestSerializer", kind: .invalidRequest)
  }

  /// The query, without `?`; empty when there is none.
  func query(of parameters: Parameters) throws -> String { try encoding.encode(parameters) }
}
