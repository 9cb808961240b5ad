import ErrandJSON
public import Foundation

/// The encoding of ``Request/parameters`` in bodies and queries.
///
/// Use `.form`, `.multipart` or `.json`, or create a serializer from a content type and a closure:
///
/// ```swift
/// extension RequestSerializer {
///   static let lines = RequestSerializer(contentType: "text/plain") { parameters in
///     Data(parameters.keys.joined(separator: "\n").utf8)
///   }
/// }
/// ```
///
/// Without parameters, there is no body and no `Content-Type`. With a file among the parameters, a form is
/// multipart.
public struct RequestSerializer: Sendable {
  /// The `Content-Type` of the body, for headers without a `Content-Type`.
  public let contentType: String
  /// The encoding of the query.
  public let encoding: ParameterEncoding

  /// The condition for a multipart body.
  enum Parts { case always, forFiles, never }

  let parts: Parts
  /// True if bodies are compressed.
  var isGzipped = false
  /// Encodes parameters, with the JSON coding of the dispatch.
  let encode: @Sendable (Parameters, @escaping () -> JSONCoding) throws -> Data

  /// Creates a serializer for another format.
  ///
  /// - Parameters:
  ///   - contentType: The media type of the body.
  ///   - encoding: The encoding of the query; the default encoding by default.
  ///   - encode: Encodes parameters, which are never empty. A thrown error fails the request with
  ///     ``RequestError/Kind/encoding``, and the request is not sent.
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

  /// `application/x-www-form-urlencoded` in the default encoding; `multipart/form-data` with a file.
  public static let form = form(ParameterEncoding())

  /// `application/x-www-form-urlencoded` in an encoding of your choice.
  ///
  /// The encoding also applies to the query and to the names of parts.
  public static func form(_ encoding: ParameterEncoding) -> RequestSerializer {
    RequestSerializer(contentType: "application/x-www-form-urlencoded", encoding: encoding, parts: .forFiles)
    { parameters, _ in
      Data(try encoding.encode(parameters).utf8)
    }
  }

  /// `multipart/form-data` (RFC 7578), also without a file; see
  /// ``RequestBody/multipart(_:encoding:boundary:)``.
  public static let multipart = multipart(ParameterEncoding())

  /// `multipart/form-data` in an encoding of your choice, for the query and the names of parts.
  public static func multipart(_ encoding: ParameterEncoding) -> RequestSerializer {
    RequestSerializer(contentType: MIMEType.formData.rawValue, encoding: encoding, parts: .always) { _, _ in
      Data()
    }
  }

  /// `application/json`: members in order, numbers with all digits (RFC 8259).
  ///
  /// Dates and bytes are encoded like `.json(value)`: with the request's ``Request/jsonEncoder`` or
  /// ``Request/jsonCoding``, or the agent's coding. With the default strategy for dates, dates are RFC 3339
  /// text in UTC instead of seconds since 2001. Keys are unchanged. Files and repeated keys are errors of
  /// kind ``RequestError/Kind/encoding``.
  public static let json = json(query: ParameterEncoding())

  /// `application/json`, with an encoding of your choice for the query.
  public static func json(query encoding: ParameterEncoding) -> RequestSerializer {
    RequestSerializer(contentType: "application/json", encoding: encoding, parts: .never) {
      parameters, coding in
      try JSONWriter.data(of: parameters, coding: coding)
    }
  }

  /// The formats of a body from parameters.
  private enum Format {
    case json, form, parts

    /// Returns the format of a type; `nil` for any other type.
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

  /// Returns the serializer for the `Content-Type` of a request.
  ///
  /// For a form, a JSON type selects ``json``, and a multipart type selects ``multipart``. Throws if the
  /// encoded bytes would contradict the header.
  func fitting(_ type: String?) throws(Refusal) -> RequestSerializer {
    guard let type, let stated = Format(type), let own = Format(contentType), stated != own else {
      return self
    }
    if stated != .form, parts == .forFiles {
      // A multipart type needs a boundary; the check of the body compares the boundaries.
      var serializer = stated == .json ? Self.json(query: encoding) : Self.multipart(encoding)
      serializer.isGzipped = isGzipped
      return serializer
    }
    throw Refusal(
      "the header Content-Type, \(type), is not the type of the requestSerializer, \(contentType): remove the header, because the body "
        + "sets the right value, or set another requestSerializer", kind: .invalidRequest)
  }

  /// Returns the query without `?`; empty without parameters.
  func query(of parameters: Parameters) throws -> String { try encoding.encode(parameters) }
}
