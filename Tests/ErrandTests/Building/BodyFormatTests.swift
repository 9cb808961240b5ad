import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Parameters follow the stated content type, and a file URL is no text")
struct BodyFormatTests {
  private let transport = MockTransport { _ in .status(204) }

  private func agent(_ headers: HTTPHeaders = [:]) -> RequestAgent {
    RequestAgent(
      baseURL: "http://shop.example", transport: transport,
      configuration: AgentConfiguration(headers: headers))
  }

  private func sent(_ request: some Request, agentHeaders: HTTPHeaders = [:]) async throws -> String {
    _ = try await agent(agentHeaders).send(request)
    let last = try #require(transport.requests.last)
    return "\(last.headers["Content-Type"] ?? "none") \(last.text)"
  }

  private func refusal(_ request: some Request) async throws -> RequestError {
    try await #require(throws: RequestError.self) { _ = try await agent().send(request) }
  }

  @Test(
    "A JSON content type makes JSON of form parameters",
    arguments: [
      "application/json", "application/json; charset=utf-8", "application/vnd.api+json", "Text/JSON",
    ])
  func json(_ type: String) async throws {
    let request = OneOffRequest<Void>.post(
      "a", parameters: ["a": 1, "b": "x y"], headers: ["Content-Type": type])
    #expect(try await sent(request) == "\(type) {\"a\":1,\"b\":\"x y\"}")
    let ofAgent = OneOffRequest<Void>.post("a", parameters: ["a": 1])
    #expect(try await sent(ofAgent, agentHeaders: ["Content-Type": type]) == "\(type) {\"a\":1}")
  }

  @Test("Without parameters, with a body, in a query, and for other types nothing changes")
  func unchanged() async throws {
    let type: HTTPHeaders = ["Content-Type": "application/json"]
    #expect(try await sent(OneOffRequest<Void>.post("a", headers: type)) == "application/json ")
    #expect(
      try await sent(OneOffRequest<Void>.post("a", headers: type, body: .text("x"))) == "application/json x")
    #expect(
      try await sent(OneOffRequest<Void>("a", parameters: ["a": 1], headers: type, response: .none))
        == "application/json "
    )
    #expect(transport.requests.last?.query == "a=1")
    for own in ["text/plain", "application/x-www-form-urlencoded; charset=utf-8", "nonsense"] {
      let request = OneOffRequest<Void>.post("a", parameters: ["a": 1], headers: ["Content-Type": own])
      #expect(try await sent(request) == "\(own) a=1")
    }
    let json = OneOffRequest<Void>.post("a", parameters: ["a": 1], headers: type, serializer: .json)
    #expect(try await sent(json) == "application/json {\"a\":1}")
  }

  @Test("A content type that differs from the serializer's is refused, with a remedy")
  func refused() async throws {
    let form = "application/x-www-form-urlencoded"
    let json = try await refusal(
      OneOffRequest<Void>.post("a", parameters: ["a": 1], headers: ["Content-Type": form], serializer: .json))
    #expect(json.kind == .invalidRequest)
    #expect(
      json.reason
        == "the header Content-Type, application/x-www-form-urlencoded, is not the type of the requestSerializer, "
        + "application/json: remove the header, because the body sets the right value, or set another requestSerializer"
    )
    let parts = try await refusal(
      OneOffRequest<Void>.post("a", parameters: ["a": 1], headers: ["Content-Type": "multipart/form-data"]))
    #expect(
      parts.reason
        == "the header Content-Type, multipart/form-data, does not have the boundary of the body: remove the header, because the body "
        + "sets the right value")
    let file: Parameters = ["f": .file(data: Data("x".utf8), name: "x.txt")]
    let inJSON = try await refusal(
      OneOffRequest<Void>.post("a", parameters: file, headers: ["Content-Type": "application/json"]))
    #expect(inJSON.reason.hasPrefix("the parameter \"f\" is a file, which JSON cannot contain"))
    let inForm = try await refusal(
      OneOffRequest<Void>.post("a", parameters: file, headers: ["Content-Type": form]))
    #expect(
      inForm.reason
        == "the header Content-Type, application/x-www-form-urlencoded, is not the type of the body, multipart/form-data: "
        + "remove the header, because the body sets the right value")
  }

  @Test("A file URL in parameters is refused anywhere, and a web URL is text")
  func fileURL() async throws {
    struct Upload: Encodable { var avatar: URL }
    let file = URL(fileURLWithPath: "/tmp/a.png")
    let text =
      "the parameter \"avatar\" is the URL of a file, and would be sent as text: write .file(url) to send the file, or "
      + "url.path to send its path"
    for serializer in [RequestSerializer.form, .json, .multipart] {
      let error = try await refusal(
        OneOffRequest<Void>.post("a", parameters: ["avatar": file], serializer: serializer))
      #expect(error.kind == .encoding && error.reason == text)
    }
    #expect(
      try await refusal(OneOffRequest<Void>("a", parameters: ["avatar": file], response: .none)).reason
        == text)
    #expect(try await refusal(OneOffRequest<Void>.get("a", query: ["avatar": file])).reason == text)
    let encoded = try Parameters(encoding: Upload(avatar: file))
    #expect(try await refusal(OneOffRequest<Void>.post("a", parameters: encoded)).reason == text)
    let nested = try await refusal(
      OneOffRequest<Void>.post("a", parameters: ["avatar": [file]], serializer: .json))
    #expect(nested.reason.contains("is the URL of a file"))
    let page = try #require(URL(string: "https://a.example/x"))
    let sent = try await sent(OneOffRequest<Void>.post("a", parameters: ["avatar": page], serializer: .json))
    #expect(
      sent == "application/json {\"avatar\":\"https:\\/\\/a.example\\/x\"}"
        || sent.contains("https://a.example/x"))
    #expect(transport.requests.count == 1)
  }
}
