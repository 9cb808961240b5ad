import ErrandJSON
public import Foundation

/// The encoding of ``Request/parameters``.
///
/// Use `.form`, `.multipart` or `.json`, or create a serializer:
///
/// ```swift
/// extension RequestSerializer {
///   static let lines = RequestSerializer(contentType: "text/plain") { parameters in
///     Data(parameters.keys.joined(separator: "\n").utf8)
///   }
/// }
/// ```
///
/// Empty parameters make no body.
public struct RequestSerializer: Sendable {
  /// The media type of the body.
  ///
  /// A file or a `Content-Type` header may change the type of a form.
  public let contentType: String
  /// The encoding of the query, and of a form.
  public let encoding: ParameterEncoding

  enum Parts { case always, forFiles, never }

  let parts: Parts
  var isGzipped = false
  /// Makes a body that is not multipart.
  ///
  /// The second argument returns the coding of dates and bytes.
  let encode: @Sendable (Parameters, @escaping () -> JSONCoding) throws -> Data

  /// Creates a serializer for another format.
  ///
  /// - Parameters:
  ///   - contentType: The media type.
  ///   - encoding: The encoding of the query.
  ///   - encode: Makes the body. A thrown error usually gets the kind ``RequestError/Kind/encoding``, but a
  ///     ``Refusal`` usually keeps its kind.
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

  /// `application/x-www-form-urlencoded`.
  ///
  /// With a file, the body is multipart. With a JSON `Content-Type` header, the body is JSON.
  public static let form = form(ParameterEncoding())

  /// Returns `.form` with an encoding for the form and the query.
  public static func form(_ encoding: ParameterEncoding) -> RequestSerializer {
    RequestSerializer(contentType: "application/x-www-form-urlencoded", encoding: encoding, parts: .forFiles)
    { parameters, _ in
      Data(try encoding.encode(parameters).utf8)
    }
  }

  /// `multipart/form-data` (RFC 7578).
  public static let multipart = multipart(ParameterEncoding())

  /// Returns `.multipart` with an encoding for the form and the query.
  public static func multipart(_ encoding: ParameterEncoding) -> RequestSerializer {
    RequestSerializer(contentType: MIMEType.formData.rawValue, encoding: encoding, parts: .always) { _, _ in
      Data()
    }
  }

  /// `application/json` (RFC 8259); files and repeated keys are errors.
  ///
  /// The JSON coding sets the format of dates and bytes; by default, dates are RFC 3339 text.
  public static let json = json(query: ParameterEncoding())

  /// Returns `.json` with an encoding for the query.
  public static func json(query encoding: ParameterEncoding) -> RequestSerializer {
    RequestSerializer(contentType: "application/json", encoding: encoding, parts: .never) {
      parameters, coding in
      try JSONWriter.data(of: parameters, coding: coding)
    }
  }

  private enum Format {
    case json, form, parts

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

  func fitting(_ type: String?) throws(Refusal) -> RequestSerializer {
    guard let type, let stated = Format(type), let own = Format(contentType), stated != own else {
      return self
    }
    if stated != .form, parts == .forFiles {
      var serializer = stated == .json ? Self.json(query: encoding) : Self.multipart(encoding)
      serializer.isGzipped = isGzipped
      return serializer
    }
    throw Refusal(
      "the header Content-Type, \(type), is not the type of the requestSerializer, \(contentType): remove the header, because the body "
        + "sets the right value, or set another requestSerializer", kind: .invalidRequest)
  }

  func query(of parameters: Parameters) throws -> String { try encoding.encode(parameters) }
}
