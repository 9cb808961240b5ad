/// A request for a quick call, written where it is sent: `agent.send(.get("users/7", as: User.self))`.
///
/// The static members of ``Request``, such as ``Request/get(_:query:headers:as:)``, make them; without `as:` the
/// answer is dropped. An endpoint that is called from more than one place deserves a type of its own. What no
/// argument is for is overridden: `OneOffRequest.get("users").with(\.timeout, .seconds(5))`.
public struct OneOffRequest<Response: Sendable>: Request {
  /// Joined to the agent's base; an absolute URL replaces it.
  public var path: String
  /// The method.
  public var method: HTTPMethod
  /// Override the agent's headers.
  public var headers: HTTPHeaders
  /// The query of `GET`, `HEAD` and `DELETE`, otherwise the body.
  public var parameters: Parameters
  /// Always the query.
  public var query: Parameters
  /// `.automatic`: derived from the parameters.
  public var body: RequestBody
  /// How the parameters are written.
  public var requestSerializer: RequestSerializer
  /// How the value is made.
  public var responseSerializer: any ResponseSerializer<Response>

  /// Makes a request of any method and any kind of value.
  ///
  /// - Parameters:
  ///   - path: joined to the agent's base; an absolute URL replaces it.
  ///   - method: `GET` by default.
  ///   - parameters: the query of `GET`, `HEAD` and `DELETE`, otherwise the body; empty by default.
  ///   - query: always the query; empty by default.
  ///   - headers: override the agent's; empty by default.
  ///   - body: `.automatic` by default: derived from the parameters.
  ///   - serializer: how the parameters are written; `.form` by default.
  ///   - response: how the value is made, such as `.response` or `.json(keyPath: "data")`.
  public init(
    _ path: String, method: HTTPMethod = .get, parameters: Parameters = [:], query: Parameters = [:],
    headers: HTTPHeaders = [:], body: RequestBody = .automatic, serializer: RequestSerializer = .form,
    response: any ResponseSerializer<Response>
  ) {
    self.path = path
    self.method = method
    self.headers = headers
    self.parameters = parameters
    self.query = query
    self.body = body
    self.requestSerializer = serializer
    self.responseSerializer = response
  }
}

extension OneOffRequest where Response: Decodable {
  /// The serializer that a request of this type would have by default: `Data` and `String` are `Decodable`, but mean
  /// bytes and text.
  static var defaultSerializer: any ResponseSerializer<Response> {
    let plain: [any ResponseSerializer] = [DataResponse(), TextResponse()]
    return plain.lazy.compactMap { $0 as? any ResponseSerializer<Response> }.first ?? .json()
  }
}
