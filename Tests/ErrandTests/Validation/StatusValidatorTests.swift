import Testing

@testable import Errand

@Suite("The status validator") struct StatusValidatorTests {
  @Test("The given range, closed range or codes are accepted", arguments: [200, 204, 299])
  func accepts(code: Int) {
    let head = HTTPResponse(status: HTTPResponse.Status(code))
    #expect(StandardValidator.status(200..<300).verdict(head) == nil)
    #expect(StandardValidator.status(200...299).verdict(head) == nil)
    #expect(StandardValidator.status(204, 200, 299).verdict(head) == nil)
  }

  @Test("Every other status is refused", arguments: [0, 199, 300, 304, 404, 418, 500, 999])
  func refuses(code: Int) {
    let head = HTTPResponse(status: HTTPResponse.Status(code))
    #expect(StandardValidator.status(200..<300).verdict(head)?.kind == .status)
    #expect(StandardValidator.status(200...299).verdict(head)?.kind == .status)
    #expect(StandardValidator.status(200).verdict(head)?.kind == .status)
  }

  @Test("The refusal names the received status and the accepted statuses")
  func texts() {
    let head = HTTPResponse(status: 503)
    let rows: [(StandardValidator, String)] = [
      (.status(200..<300), "status 503 Service Unavailable is not in 200..<300"),
      (.status(200...299), "status 503 Service Unavailable is not in 200...299"),
      (.status(418), "status 503 Service Unavailable is not 418"),
      (.status(200, 304), "status 503 Service Unavailable is not 200 or 304"),
      (.status(200, 204, 304), "status 503 Service Unavailable is not 200, 204 or 304"),
    ]
    for (validator, text) in rows { #expect(validator.verdict(head)?.message == text) }
    #expect(
      StandardValidator.status(200).verdict(HTTPResponse(status: 799))?.message == "status 799 is not 200")
  }

  @Test("The body is read for the error")
  func keepsTheBody() {
    let verdict = StandardValidator.status(200..<300).judge(head: HTTPResponse(status: 404), context: .test())
    guard case .refusedWithBody = verdict else {
      Issue.record("the verdict is \(verdict)")
      return
    }
  }

  @Test("The validator is written with a leading dot in a list")
  func leadingDots() {
    let validators: [any ResponseValidator] = [
      .status(200..<300), .status(418), .contentType, .contentType("text/*"), .json(["id": .integer]),
      .head { _, _ in .accepted }, .validate { _, _ in },
      .status(200..<300).errorBody(ProblemDetails.self),
    ]
    #expect(validators.count == 8)
  }
}
