import Foundation
import Testing

@testable import Errand

@Suite("The closure validators") struct ClosureValidatorTests {
  @Test("A head closure judges the head, and accepts the body")
  func head() {
    let validator = StandardValidator.head { head, context in
      head.headers.contains("X-Down") ? .refused(Refusal("down at \(context.attempt)")) : .accepted
    }
    #expect(validator.verdict(HTTPResponse(headers: ["X-Down": ""]))?.message == "down at 1")
    #expect(validator.verdict(HTTPResponse()) == nil)
    #expect(validator.refusal(HTTPResponse(headers: ["X-Down": ""])) == nil)
  }

  @Test("A whole closure judges the whole response, and accepts the head")
  func whole() {
    let validator = StandardValidator.validate { response, _ in
      if response.body.isEmpty { throw Refusal("empty") }
    }
    #expect(validator.verdict(.of("")) == nil)
    #expect(validator.refusal(.of("")) == Refusal("empty", kind: .validation))
    #expect(validator.refusal(.of("x")) == nil)
  }
}
