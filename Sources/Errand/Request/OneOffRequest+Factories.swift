// One-off requests that have no body. `Self ==` lets them be written with a leading dot.
extension Request {
  /// A `GET` of a path; an absolute URL replaces the base.
  ///
  /// `Data` gives the bytes, `String` the text, any other type is decoded from JSON.
  public static func get<Value: Decodable & Sendable>(
    _ path: String, query: Parameters = [:], headers: HTTPHeaders = [:], as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> {
    OneOffRequest(
      path, query: query, headers: headers, response: OneOffRequest<Value>.defaultSerializer)
  }

  /// A `GET` of a path; an absolute URL replaces the base.
  ///
  /// The body of the answer is dropped.
  public static func get(
    _ path: String, query: Parameters = [:], headers: HTTPHeaders = [:]
  ) -> Self where Self == OneOffRequest<Void> {
    OneOffRequest(
      path, query: query, headers: headers, response: .none)
  }

  /// A `DELETE` of a path; the parameters go into the query.
  ///
  /// `Data` gives the bytes, `String` the text, any other type is decoded from JSON.
  public static func delete<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters = [:], headers: HTTPHeaders = [:], as type: Value.Type
  ) -> Self where Self == OneOffRequest<Value> {
    OneOffRequest(
      path, method: .delete, parameters: parameters, headers: headers,
      response: OneOffRequest<Value>.defaultSerializer)
  }

  /// A `DELETE` of a path; the parameters go into the query.
  ///
  /// The body of the answer is dropped.
  public static func delete(
    _ path: String, parameters: Parameters = [:], headers: HTTPHeaders = [:]
  ) -> Self where Self == OneOffRequest<Void> {
    OneOffRequest(
      path, method: .delete, parameters: parameters, headers: headers,
      response: .none)
  }

  /// A `HEAD` of a path, for the head of the answer.
  public static func head(
    _ path: String, query: Parameters = [:], headers: HTTPHeaders = [:]
  ) -> Self where Self == OneOffRequest<HTTPResponse> {
    OneOffRequest(path, method: .head, query: query, headers: headers, response: .response)
  }
}
