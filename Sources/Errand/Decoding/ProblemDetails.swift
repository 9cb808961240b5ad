import ErrandJSON
import Foundation

/// The body of an `application/problem+json` response (RFC 9457).
///
/// ```swift
/// do {
///   _ = try await agent.send(request)
/// } catch let error as RequestError {
///   print(error.problem?.title ?? "no reason given")
/// }
/// ```
///
/// Read extension members by subscript: `problem["balance", as: Int.self]`.
public struct ProblemDetails: Error, Sendable, Hashable {
  /// The kind of problem, as a URI reference; `about:blank` without a readable kind.
  public var type: String
  /// A short text for the kind of problem.
  public var title: String?
  /// The status code in the body; advisory (RFC 9457 section 3.1.2).
  public var status: Int?
  /// An explanation of the specific occurrence.
  public var detail: String?
  /// The identifier of the specific occurrence, as a URI reference.
  public var instance: String?
  private var extensions: [String: JSONValue] = [:]

  /// Creates a problem without extension members.
  public init(
    type: String = "about:blank", title: String? = nil, status: Int? = nil, detail: String? = nil,
    instance: String? = nil
  ) {
    (self.type, self.title, self.status, self.detail, self.instance) = (type, title, status, detail, instance)
  }

  /// Returns an extension member; `nil` if the member is missing or cannot be decoded.
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

  /// Decodes an object; ignores members of a wrong type.
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

  /// Encodes an object, including extension members.
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
  /// The title (or the type) and the detail.
  public var description: String {
    let text = ([title ?? type] + (detail.map { [$0] } ?? [])).joined(separator: ": ")
    return Redaction.standard.text(text).printed
  }
}

extension RequestError {
  /// The problem details of the response (RFC 9457); `nil` without readable details.
  public var problem: ProblemDetails? {
    guard let response, let media = MediaType(of: response.headers),
      media.description == "application/problem+json"
    else { return nil }
    return try? JSONCoding().decode(from: response.body)
  }
}
