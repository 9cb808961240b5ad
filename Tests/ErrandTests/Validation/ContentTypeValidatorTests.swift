import Foundation
import Testing

@testable import Errand

@Suite("The content type validator") struct ContentTypeValidatorTests {
  @Test(
    "The listed media types are accepted in any letter case, with wildcards and any parameters",
    arguments: [
      ("application/json", "application/json"), ("application/json", "Application/JSON; charset=utf-8"),
      ("text/*", "text/html"), ("*/*", "image/png"), ("TEXT/Plain; q=0.5", "text/plain"),
      ("application/*+json", "application/problem+json"),
      ("application/json", " application/json ;x=\"a;b\""),
    ])
  func accepts(range: String, type: String) {
    #expect(StandardValidator.contentType(range).verdict(.of("", type: type)) == nil)
  }

  @Test(
    "Other media types are refused by name",
    arguments: [
      ("text/html", "content type text/html is not application/json"),
      ("text/html; charset=x", "content type text/html is not application/json"),
      ("application/problem+json", "content type application/problem+json is not application/json"),
      ("klingon", "content type klingon is not application/json"),
      ("", "content type  is not application/json"),
      ("application/", "content type application/ is not application/json"),
      ("application/json x", "content type application/json x is not application/json"),
    ])
  func refuses(type: String, text: String) {
    let refusal = StandardValidator.contentType("application/json").verdict(.of("", type: type))
    #expect(refusal == Refusal(text, kind: .contentType))
  }

  @Test("The validator lists its accepted types")
  func lists() {
    let validator = StandardValidator.contentType("application/json", "text/*")
    let text = "content type image/png is not application/json or text/*"
    #expect(validator.verdict(.of("", type: "image/png"))?.message == text)
  }

  @Test("A missing header is judged with the body")
  func missing() {
    let validator = StandardValidator.contentType("application/json")
    #expect(validator.verdict(.of("x")) == nil)
    #expect(validator.refusal(.of("")) == nil)
    #expect(validator.refusal(.of("x", type: "text/html")) == nil)
    let text = "the response has no content type, application/json was expected"
    #expect(validator.refusal(.of("x")) == Refusal(text, kind: .contentType))
  }

  @Test("*/* accepts everything, including a missing or unreadable type")
  func anything() {
    for validator in [StandardValidator.contentType("*/*"), .contentType("application/json", "*/*;q=0.1")] {
      #expect(validator.refusal(.of("x")) == nil)
      for type in ["klingon", "", "application/json x"] {
        #expect(validator.verdict(.of("x", type: type)) == nil)
        #expect(validator.refusal(.of("x", type: type)) == nil)
      }
    }
    let missing = "the response has no content type, application/json was expected"
    for (accept, refused) in [("application/json, */*;q=0.5", nil), ("application/json, */*;q=0", missing)] {
      let context = RequestContext.test(Probe(headers: ["Accept": accept]))
      #expect(StandardValidator.contentType.refusal(.of("x"), context)?.message == refused)
    }
    // A half wildcard does not accept a missing type.
    #expect(StandardValidator.contentType("*/json").refusal(.of("x")) != nil)
  }

  @Test("Without a list the request's accepted types count")
  func ofTheRequest() {
    let validator = StandardValidator.contentType
    let html = HTTPResponse.of("", type: "text/html")
    #expect(
      validator.verdict(html, .test(JSONProbe()))?.message == "content type text/html is not application/json"
    )
    #expect(validator.verdict(.of("", type: "application/json"), .test(JSONProbe())) == nil)
    #expect(validator.verdict(html, .test(Probe())) == nil)
    #expect(validator.refusal(.of("x"), .test(Probe())) == nil)
    let csv = Probe(headers: ["Accept": "text/csv, text/html;q=0, , text/plain;q=0.5"])
    #expect(
      validator.verdict(html, .test(csv))?.message == "content type text/html is not text/csv or text/plain")
  }

  @Test("For an overridden request the sent Accept counts")
  func overridden() {
    let type = "application/vnd.api+json"
    let context = RequestContext.test(JSONProbe().with(\.headers, ["Accept": type]))
    #expect(StandardValidator.contentType.verdict(.of("", type: type), context) == nil)
    #expect(
      StandardValidator.contentType.verdict(.of("", type: "application/json"), context)?.message
        == "content type application/json is not application/vnd.api+json")
    #expect(
      StandardValidator.contentType.refusal(.of("x"), context)?.message
        == "the response has no content type, application/vnd.api+json was expected")
  }

  @Test("For a custom request only the Accept of the custom request counts")
  func custom() {
    func context(_ headers: HTTPHeaders) -> RequestContext {
      let custom = HTTPRequest(url: URL(string: "https://h/a")!, headers: headers)
      return .test(JSONProbe().with(\.customRequest, custom))
    }
    let html = HTTPResponse.of("", type: "text/html")
    #expect(StandardValidator.contentType.verdict(html, context(["Accept": "text/html"])) == nil)
    #expect(StandardValidator.contentType.verdict(html, context([:])) == nil)
    #expect(
      StandardValidator.contentType.verdict(html, context(["Accept": "text/csv"]))?.message
        == "content type text/html is not text/csv")
  }

  @Test("A response without a body by definition is accepted with any type")
  func bodiless() {
    let validator = StandardValidator.contentType("application/json")
    let (html, refused) = ("text/html", "content type text/html is not application/json")
    for status in [204, 205, 304] {
      #expect(validator.verdict(.of("", type: html, status: HTTPResponse.Status(status))) == nil)
      #expect(validator.refusal(.of("", status: HTTPResponse.Status(status))) == nil)
    }
    for status in [200, 201, 206] {
      #expect(validator.verdict(.of("", type: html, status: HTTPResponse.Status(status)))?.message == refused)
    }
    let head = RequestContext.test(JSONProbe().with(\.method, .head))
    #expect(validator.verdict(.of("", type: html), head) == nil)
    #expect(StandardValidator.contentType.verdict(.of("", type: html), head) == nil)
    #expect(validator.verdict(.of("", type: html), .test(JSONProbe()))?.message == refused)
  }

  @Test("The last of several fields counts")
  func several() {
    var head = HTTPResponse.of("", type: "text/html")
    head.headers.add("content-type", "application/json")
    #expect(StandardValidator.contentType("application/json").verdict(head) == nil)
  }
}
