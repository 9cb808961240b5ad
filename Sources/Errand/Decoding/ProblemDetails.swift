import ErrandJSON
import Foundation

/// What a server says went wrong: the body of an `application/problem+json` (RFC 9457).
///
/// ```swift
/// do {
///   _ = try await agent.send(request)
/// } catch let error as RequestError {
///   print(error.problem?.title ?? "no reason given")
/// }
/// ```
///
/// ``RequestError/problem`` reads it of any failure whose response has one. Members of another type than the RFC's are ignored, as
/// it wants. What the server adds are extension members: `problem["balance", as: Int.self]`.
public struct ProblemDetails: Error, Sendable, Hashable {
  /// Identifies the kind of problem, as a URI reference; `about:blank` where the status says all.
  public var type: String
  /// The kind of problem in words, the same each time.
  public var title: String?
  /// The status as the server that found the problem gave it.
  public var status: Int?
  /// What happened this time.
  public var detail: String?
  /// Identifies this occurrence, as a URI reference.
  public var instance: String?
  private var extensions: [String: JSONValue] = [:]

  /// Makes a problem without extension members.
  public init(
    type: String = "about:blank", title: String? = nil, status: Int? = nil, detail: String? = nil,
    instance: String? = nil
  ) {
    (self.type, self.title, self.status, self.detail, self.instance) = (type, title, status, detail, instance)
  }

  /// An extension member; `nil` where there is none of that name and type.
  public subscript<Value: Decodable>(name: String, as type: Value.Type) -> Value? {
    guard let member = extensions[name], let text = try? JSONCoding().encode(member) else { return nil }
    return try? JSONCoding().decode(type, from: text)
  }
}

extension ProblemDetails: Codable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }

    static let (type, title, status) = (Name("type"), Name("title"), Name("status"))
    static let (detail, instance) = (Name("detail"), Name("instance"))
    static let standard: Set = ["type", "title", "status", "detail", "instance"]
  }

  /// Reads an object; members whose type is not the RFC's are ignored, as are numbers that ``JSONValue`` does not decode.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    func text(_ name: Name) -> String? { try? container.decode(String.self, forKey: name) }
    self.init(
      type: text(.type) ?? "about:blank", title: text(.title),
      status: try? container.decode(Int.self, forKey: .status), detail: text(.detail),
      instance: text(.instance))
    for key in container.allKeys where !Name.standard.contains(key.stringValue) {
      extensions[key.stringValue] = try? container.decode(JSONValue.self, forKey: key)
    }
  }

  /// Writes an object with the members that are there, extensions among them.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    try container.encode(type, forKey: .type)
    try container.encodeIfPresent(title, forKey: .title)
    try container.encodeIfPresent(status, forKey: .status)
    try container.encodeIfPresent(detail, forKey: .detail)
    try container.encodeIfPresent(instance, forKey: .instance)
    for (name, value) in extensions { try container.encode(value, forKey: Name(name)) }
  }
}

extension ProblemDetails: PrintedByDescription {
  /// The title, or the type, and the detail: `Out of credit: the balance is 30`; secrets hidden by ``Redaction/standard``.
  public var description: String {
    let text = ([title ?? type] + (detail.map { [$0] } ?? [])).joined(separator: ": ")
    return Redaction.standard.text(text).printed
  }
}

extension RequestError {
  /// What the server says went wrong, where its answer is an `application/problem+json` (RFC 9457).
  ///
  /// It is read of ``response`` each time it is asked for, whatever refused that: a validator, a hook or the decoding of the
  /// value. `nil` for any other answer, and for one that was cut at ``bodyLimit``. For a body of the service's own see
  /// ``StandardValidator/errorBody(_:keyPath:)``.
  public var problem: ProblemDetails? {
    guard let response, let media = MediaType(of: response.headers),
      media.description == "application/problem+json"
    else { return nil }
    return try? JSONCoding().decode(from: response.body)
  }
}
