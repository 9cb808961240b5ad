public import Errand
public import Foundation

/// Stubs of endpoints: the method and the place are the request's own.
///
/// The place is its ``/Errand/Request/path`` under its ``/Errand/Request/baseURL``. Without a base, which is the agent's
/// then, any origin matches, and any path that ends so. The items of its query must be there, others may be; where
/// hooks change place or method, write the stub of what they make of them. Its body does not count: add
/// ``jsonBody(_:)``. Each ``/Errand/Secret`` of the endpoint is hidden in what is printed of the stub.
extension Stub {
  /// Makes a stub that answers an endpoint with the value of its response.
  ///
  /// The value travels as bytes through validation, hooks, decoding and retry: text where the request reads text,
  /// bytes where it reads bytes, and otherwise JSON, at the key path of `.json(keyPath:)`. A value that cannot be
  /// encoded is an error of kind ``Errand/RequestError/Kind/invalidStub`` when the stub is to answer.
  ///
  /// - Parameters:
  ///   - request: the endpoint.
  ///   - value: what sending it is to give.
  ///   - status: 200 by default.
  ///   - encoder: makes the JSON. `nil`, the default, takes the coding by which the answer is decoded, both ways the same, with
  ///     sorted keys: the endpoint's, else that of the agent, which a ``MockServer`` does not know. Where that decodes dates, names
  ///     or bytes by a closure, they are written as its encoder does.
  ///   - fileID: where it is written; the caller's file by default.
  ///   - line: where it is written; the caller's line by default.
  public init<R: Request>(
    answering request: R, with value: R.Response, status: HTTPStatus = 200, encoder: JSONEncoder? = nil,
    fileID: String = #fileID, line: Int = #line
  ) where R.Response: Encodable {
    self.init(of: request, [], fileID: fileID, line: line)
    let value = TypedValue(value, of: request, encoder: encoder)
    let name = description
    var answer = Self.answer(value, status, for: nil, name)
    answer.remade = { Self.answer(value, status, for: $0, name) }
    answers = [answer]
  }

  /// Makes a stub that answers an endpoint without a body, as its response is `Void`, by default with 204.
  public init<R: Request>(
    answering request: R, status: HTTPStatus = 204, fileID: String = #fileID, line: Int = #line
  ) where R.Response == Void {
    self.init(of: request, [.status(status)], fileID: fileID, line: line)
  }

  /// Makes a stub that answers an endpoint with any answers, given in order; the last one repeats.
  public init<R: Request>(
    answering request: R, answers first: MockAnswer, _ others: MockAnswer..., fileID: String = #fileID,
    line: Int = #line
  ) {
    self.init(of: request, [first] + others, fileID: fileID, line: line)
  }

  private init(of request: some Request, _ answers: [MockAnswer], fileID: String, line: Int) {
    let place = RequestPlace(of: request)
    self.init(place.pattern, answers, fileID: fileID, line: line)
    secrets = SecretFinder.secrets(of: request)
    conditions = place.queryItems.map { QueryCondition(name: $0.name, wanted: .equal($0.value)) }
  }

  private static func answer(
    _ value: TypedValue, _ status: HTTPStatus, for dispatched: JSONCoding?, _ name: String
  ) -> MockAnswer {
    do {
      return .data(try value.data(for: dispatched), contentType: value.contentType, status: status)
    } catch {
      let problem = TypedValue.clause(error)
      return .failure(TransportError(.invalidStub, "the stub \(name) has no answer: \(problem)"))
    }
  }
}
