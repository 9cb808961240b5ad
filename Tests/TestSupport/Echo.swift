import Errand
public import ErrandMocks
public import Foundation

/// What `/echo` answers, for tests to decode.
public struct Echo: Codable, Sendable, Equatable {
  /// A header field.
  public struct Field: Codable, Sendable, Equatable {
    /// The name as it was written.
    public var name: String
    /// The value.
    public var value: String
  }

  /// The method.
  public var method: String
  /// The path as written.
  public var path: String
  /// The query as written; `nil` when there was none.
  public var query: String?
  /// The fields in the order in which they came.
  public var headers: [Field]
  /// The bytes of the body; Base64 in JSON.
  public var body: Data
  /// The body as UTF-8; `nil` when it is not.
  public var text: String?
  /// The number of bytes of the body.
  public var length: Int

  /// Makes the echo of a request.
  public init(_ request: ReceivedRequest) {
    method = request.method.token
    path = request.path
    query = request.query
    headers = request.headers.fields.map { Field(name: $0.name, value: $0.value) }
    body = request.body
    text = String(data: request.body, encoding: .utf8)
    length = request.body.count
  }

  /// The values of a header, in order; names in any case.
  public func values(for name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }
}
