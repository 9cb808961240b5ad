import Foundation

@testable import Errand

struct Probe: Request {
  typealias Response = String
  var headers: HTTPHeaders = [:]
  var jsonDecoder: JSONDecoder?
}

struct JSONProbe: Request {
  typealias Response = [Int]
}

extension RequestContext {
  static func test(_ request: some Request = Probe()) -> RequestContext {
    RequestContext(dispatched: .init(id: 1, request: request, tools: .init()), attempt: 1)
  }
}

extension HTTPResponse {
  static func of(_ body: String, type: String? = nil, status: HTTPResponse.Status = 200) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: type.map { ["Content-Type": $0] } ?? [:], body: Data(body.utf8))
  }
}

extension ResponseValidator {
  func verdict(_ head: HTTPResponse, _ context: RequestContext = .test()) -> Refusal? {
    switch judge(head: head, context: context) {
    case .accepted: nil
    case .refused(let error): error as? Refusal
    case .refusedWithBody(let error): error as? Refusal
    }
  }

  func refusal(_ response: HTTPResponse, _ context: RequestContext = .test()) -> Refusal? {
    do {
      try validate(response, context: context)
      return nil
    } catch {
      return error as? Refusal
    }
  }
}
