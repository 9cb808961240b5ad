import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Fields withheld from other origins, with a redaction of the app's own")
struct StandardNamesTests {
  private static let headers: HTTPHeaders = [
    "Authorization": "Bearer t0ken-of-ada", "Cookie": "sid=s3ssion-of-ada", "Upload-Token": "u9load-of-ada",
    "X-Internal": "h0use-of-ada", "Prefer": "t0ken-of-ada", "Accept": "text/plain",
  ]
  private static let ownRules = [
    Redaction.none.hiding(headers: ["X-Internal"]), .standard.hiding(headers: ["X-Internal"]),
    .standard.showing(["Upload-Token"]), .none,
  ]

  private func kept(_ request: HTTPRequest?) -> [String] {
    (request?.headers.fields ?? []).map(\.name).filter { Self.headers.contains($0) }
  }

  @Test("The standard names count in addition to the app's names", arguments: ownRules)
  func redirects(_ redaction: Redaction) async throws {
    let transport = FunctionTransport.leading(["https://a/1": "https://b/2"])
    var configuration = AgentConfiguration()
    configuration.redaction = redaction
    let agent = RequestAgent(baseURL: "https://a", transport: transport, configuration: configuration)
    _ = try await agent.send(OneOffRequest<String>.get("1", headers: Self.headers, as: String.self))
    #expect(transport.requests.map(kept) == [Self.headers.fields.map(\.name), ["Accept"]])
  }

  @Test("A chunk for another origin has no secret fields, whatever the redaction prints", arguments: ownRules)
  func uploads(_ redaction: Redaction) async throws {
    let bench = UploadBench {
      $0.redaction = redaction
    } answer: { request in
      request.method == "POST"
        ? .status(201).header("Location", "https://other.example/files/1")
        : .status(204).header("Upload-Offset", "4")
    }
    let request = OneOffRequest<Void>.post("files", headers: Self.headers)
    _ = try await bench.upload(.data(Data("abcd".utf8)), to: request, by: .tus())
    let sent = bench.transport.requests.map { $0.headers.fields.map(\.name) }
    #expect(sent.count == 2)
    #expect(sent.last?.contains("Upload-Token") == false && sent.last?.contains("Authorization") == false)
  }
}
