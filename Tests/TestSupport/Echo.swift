import Errand
public import ErrandMocks
public import Foundation

/// The response of `/echo`.
public struct Echo: Codable, Sendable, Equatable {
  /// A header field.
  public struct Field: Codable, Sendable, Equatable {
    /// The name as written.
    public var name: String
    /// The value.
    public var value: String
  }

  /// The method.
  public var method: String
  /// The path as written.
  public var path: String
  /// The query as written, or `nil` without a query.
  public var query: String?
  /// The fields in order of arrival.
  public var headers: [Field]
  /// The body, in Base64 in JSON.
  public var body: Data
  /// The body as text, or `nil` if the body is not UTF-8.
  public var text: String?
  /// The number of bytes of the body.
  public var length: Int

  /// Creates the echo of a request.
  public init(_ request: ReceivedRequest) {
    method = request.method.token
    path = request.path
    query = request.query
    headers = request.headers.fields.map { Field(name: $0.name, value: $0.value) }
    body = request.body
    text = String(data: request.body, encoding: .utf8)
    length = request.body.count
  }

  /// Returns the values of a header, for a name in any letter case.
  public func values(for name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }
}
