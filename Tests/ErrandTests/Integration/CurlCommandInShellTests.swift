import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The command line of curl, run by a real shell")
struct CurlCommandInShellTests {
  static func body(_ generator: inout SeededGenerator) -> RequestBody {
    switch generator.below(5) {
    case 0: .none
    case 1: .text("@" + generator.text(upTo: 40))
    case 2: .data(Data(generator.bytes(upTo: 300)))
    case 3: .json([generator.text(upTo: 9): generator.text(upTo: 20)])
    default:
      .data(
        Data("$(id)\n`id` '\u{301};id; '\(generator.text(upTo: 9))'\u{202E}\r\n\u{7F}\u{E0041}7\r".utf8),
        contentType: "text/plain")
    }
  }

  static func request(_ generator: inout SeededGenerator) -> OneOffRequest<HTTPResponse> {
    let field = "=" + generator.text(upTo: 20).filter { $0.isASCII && ("!"..."~").contains($0) }
    return OneOffRequest(
      "a/\(generator.text(upTo: 12).filter { $0 != "#" })",
      method: generator.pick([.get, .post, .put, .patch, .delete, .options, "PURGE"]),
      query: ["q": generator.text(upTo: 12)], headers: ["X-Text": field, "X-Empty": ""],
      body: body(&generator), response: .response)
  }

  @Test("The server gets the same form from curl and from Errand, with parts in memory")
  func forms() async throws {
    let server = try MockServer()
    defer { server.stop() }
    server.route(nil, "/*", answers: .status(204))
    let agent = RequestAgent(baseURL: server.baseURL)
    let text = BodyPart(name: "t", filename: "a;\"b.txt", body: .text("<x>;\"q\" \\ 'e'\r\n\u{202E}@"))
    let bytes = BodyPart(
      name: "i", filename: "i.png", body: .data(Data([0, 0xFF, 0x41, 0x27]), contentType: "image/png"))
    let empty = BodyPart(name: "e", body: .data(Data(), contentType: "text/plain"))
    let value = BodyPart(name: "j", body: .json(["@a": "b;c"]))
    for parts in [[text], [bytes], [text, value, bytes, empty], [bytes, text, bytes]] {
      let request = OneOffRequest<HTTPResponse>(
        "a", method: .post, body: .multipart(parts), response: .response)
      let line = try await agent.explain(request).request.curlCommand(redaction: .none)
      _ = try await agent.send(request)
      let (code, output) = try await Compiler.run(
        "sh", ["-c", "curl() { command curl -q --silent --show-error \"$@\"; }\n\(line)"])
      #expect(code == 0 && output == "")
    }
    let forms = server.requests.map { request in
      request.parts.map {
        "\($0.name ?? "") \($0.filename ?? "") \($0.headers["Content-Type"] ?? "") \(Array($0.data))"
      }
    }
    #expect(forms.count == 8)
    for index in stride(from: 0, to: forms.count, by: 2) { #expect(forms[index] == forms[index + 1]) }
  }

  @Test("For 100 generated requests, the server gets the same bytes from curl and from Errand")
  func same() async throws {
    let server = try MockServer()
    defer { server.stop() }
    server.route(nil, "/*", answers: .status(204))
    let agent = RequestAgent(baseURL: server.baseURL)
    var generator = SeededGenerator(seed: 22)
    // The option `-q` ignores a configuration file of the machine.
    var script = ["curl() { command curl -q --silent --show-error --output /dev/null \"$@\"; }"]
    for _ in 0..<100 {
      let request = Self.request(&generator)
      script.append(try await agent.explain(request).request.curlCommand(redaction: .none))
      _ = try await agent.send(request)
    }
    let sent = server.requests
    let (code, output) = try await Compiler.run("sh", ["-c", script.joined(separator: "\n")])
    #expect(code == 0 && output == "")
    let typed = server.requests.dropFirst(100)
    #expect(sent.count == 100 && typed.count == 100)
    for (one, other) in zip(sent, typed) {
      #expect(one.method == other.method && one.target == other.target && one.body == other.body)
      #expect(one.headers.sortedLines == other.headers.sortedLines)
    }
  }
}

extension HTTPHeaders {
  /// The order of fields with different names has no meaning (RFC 9110 section 5.3).
  fileprivate var sortedLines: [String] { fields.map { "\($0.name.lowercased()): \($0.value)" }.sorted() }
}
