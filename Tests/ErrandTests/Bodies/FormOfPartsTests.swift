import Foundation
import Testing

@testable import Errand

@Suite("Parameters with files")
struct FormOfPartsTests {
  private func lines(_ serializer: RequestSerializer, _ parameters: Parameters) async throws -> [String] {
    let body = try serializer.body(of: parameters)
    let bytes = try await MultipartBodyTests.bytes(body)
    return try MultipartParser.parts(of: bytes, contentType: body.contentType).map { part in
      "\(part.name ?? "?")=\(part.filename.map { "<\($0)> " } ?? "")\(part.text)"
    }
  }

  static let file = Parameters.File.file(data: Data("F".utf8), name: "f.txt")

  @Test("A file anywhere in parameters makes a multipart form, with form names and files last")
  func names() async throws {
    let parameters: Parameters = [
      "f": Self.file, "a b": "x&y=ü", "n": .null, "on": true, "t": 1.5, "s": Secret("s3cret"),
      "tags": ["p", "q"], "o": .object(["in": .list(1, Self.file, .object(["deep": Self.file]))]),
      "gone": String?.none,
    ]
    #expect(
      try await lines(.form, parameters) == [
        "a b=x&y=ü", "n=", "on=true", "t=1.5", "s=s3cret", "tags[]=p", "tags[]=q", "o[in][]=1",
        "f=<f.txt> F", "o[in][]=<f.txt> F", "o[in][2][deep]=<f.txt> F",
      ])
    #expect(
      try await lines(
        .form(.init(.repeatedKeys, .sortedKeys, .numericBools)),
        ["b": .list(Self.file, Self.file), "a": [true, false]]) == [
          "a=1", "a=0", "b=<f.txt> F", "b=<f.txt> F",
        ])
    #expect(
      try await lines(.form(.init(.commaSeparatedLists)), ["a": [1, 2], "b": .list(1, Self.file)]) == [
        "a=1,2", "b[]=1", "b[]=<f.txt> F",
      ])
  }

  @Test("Without a file a form stays a form unless multipart is requested, and no parameters stay no body")
  func withoutFile() async throws {
    #expect(try RequestSerializer.form.body(of: ["a": [1]]).data == Data("a%5B%5D=1".utf8))
    #expect(try await lines(.multipart, ["a": [1]]) == ["a[]=1"])
    #expect(try await lines(.multipart(.init(.repeatedKeys)), ["a": [1]]) == ["a=1"])
    #expect(try RequestSerializer.multipart.body(of: [:]).description == "none")
    #expect(try RequestSerializer.multipart.query(of: ["a": 1]) == "a=1")
  }

  @Test("Types come from the caller, the body, the name and the URL, in this order")
  func types() {
    let url = URL(fileURLWithPath: "/x/a.b/photo.PNG")
    let body = RequestBody.text("x", contentType: "text/css")
    let files: [Parameters.File] = [
      .file(url), .file(url, name: "b.txt"), .file(url, type: .gif), .file(data: Data(), name: "b.pdf"),
      .file(data: Data(), name: "b.pdf", type: .zip), .file(body: body, name: "a.jpg"),
      .file(body: .stream { AsyncStream<Data> { $0.finish() } }, name: "a.jpg"),
      .file(body: body, name: "a", type: .mp3),
      .file(data: Data(), name: "README"), .file(data: Data(), name: "x."), .file(data: Data(), name: ""),
    ]
    let parts = files.map { $0.part(named: "f") }
    #expect(
      parts.map { $0.headers["Content-Type"] } == [
        "image/png", "image/png", "image/gif", "application/pdf", "application/zip", "text/css", "image/jpeg",
        "audio/mpeg", "application/octet-stream", "application/octet-stream", "application/octet-stream",
      ])
    #expect(parts.prefix(2).map(\.filename) == ["photo.PNG", "b.txt"])
  }

  static let elsewhere: [(HTTPMethod, RequestSerializer, String)] = [
    (.post, .json, "JSON"), (.get, .form, "a query"), (.delete, .multipart, "a query"),
    (.head, .json, "a query"),
  ]

  @Test(
    "A file in JSON or a query is refused during the build, and nothing is sent",
    arguments: elsewhere.indices)
  func misplaced(_ index: Int) async throws {
    let (method, serializer, place) = Self.elsewhere[index]
    let transport = FunctionTransport()
    let agent = RequestAgent(baseURL: "http://a", transport: transport)
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(
        OneOffRequest<Void>(
          "x", method: method, parameters: ["a": .list(1, .object(["b": Self.file]))], serializer: serializer,
          response: .none))
    }
    #expect(error.kind == .encoding && error.stage == .build && transport.requests.isEmpty)
    #expect(
      error.reason == """
        the parameter "a[1][b]" is a file, which \(place) cannot contain: use a method with a body, and the \
        serializer .form or .multipart
        """)
  }

  @Test("A file in the query of a POST is refused too")
  func query() async throws {
    let agent = RequestAgent(baseURL: "http://a", transport: FunctionTransport())
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.post("x", query: ["f": Self.file]))
    }
    #expect(
      error.kind == .encoding
        && error.reason.hasPrefix(#"the parameter "f" is a file, which a query cannot contain"#))
  }

  @Test("A multipart Content-Type without the body's boundary is refused, and other types are the caller's")
  func contentType() async throws {
    let transport = FunctionTransport()
    let agent = RequestAgent(baseURL: "http://a", transport: transport)
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(
        .post("x", parameters: ["f": Self.file], headers: ["Content-Type": "multipart/form-data"]))
    }
    #expect(error.kind == .invalidRequest && transport.requests.isEmpty)
    #expect(
      error.reason == """
        the header Content-Type, multipart/form-data, does not have the boundary of the body: remove the header, because the body \
        sets the right value
        """)
    try await agent.send(.post("x", headers: ["Content-Type": "x/y"], body: .multipart(["f": Self.file])))
    try await agent.send(
      .post(
        "x", headers: ["Content-Type": "multipart/form-data; boundary=B"],
        body: .multipart(["f": Self.file], boundary: "B")))
    #expect(
      transport.requests.map { $0.headers["Content-Type"] } == ["x/y", "multipart/form-data; boundary=B"])
  }

  @Test("A transport without streams refuses streamed parts, and accepts parts in memory")
  func capabilities() async throws {
    var capabilities = TransportCapabilities()
    capabilities.streamsUploads = false
    let transport = FunctionTransport(capabilities: capabilities)
    let agent = RequestAgent(baseURL: "http://a", transport: transport)
    try await agent.send(.post("x", parameters: ["f": Self.file]))
    let folder = TemporaryDirectory()
    let file = try folder.file("a", "x")
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.post("x", parameters: ["f": .file(file)]))
    }
    #expect(error.kind == .unsupported && transport.requests.count == 1)
  }

  @Test("Files are equal by name, type and path or bytes, and other bodies by identity")
  func equality() {
    let url = URL(fileURLWithPath: "/a")
    let stream = Parameters.File.file(body: .text("x"), name: "a")
    let others: [Parameters.File] = [
      .file(url), .file(url, name: "b"), .file(url, type: .gif), .file(data: Data(), name: "a"),
      .file(data: Data([1]), name: "a"), stream, .file(body: .text("x"), name: "a"),
    ]
    #expect(Set(others).count == others.count && Set(others + others).count == others.count)
    #expect(["a": stream] as Parameters == ["a": stream])
    let nodes: Set<Parameters.Node> = [.file(stream), .integer(1), .object([:])]
    #expect(nodes.parameterNode == .list([.integer(1), .object([:]), .file(stream)]))
  }

  // MARK: Printed forms

  @Test("Printed forms contain no value, byte or secret of the files")
  func printed() async throws {
    let bytes = Data("hunter2".utf8)
    let parameters: Parameters = [
      "f": .file(data: bytes, name: "hunter2.txt"), "password": "hunter2", "pin": Secret("hunter2"),
      "title": "Sunset",
    ]
    let agent = RequestAgent(baseURL: "http://a", transport: FunctionTransport())
    let explanation = try await agent.explain(.post("x", parameters: parameters))
    let node = try #require(parameters.node(for: "f"))
    for value in [explanation, explanation.request, explanation.request.body, parameters, node, Self.file]
      as [Any]
    {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] {
        #expect(!text.contains("hunter2") && !text.contains("104, 117"))
      }
    }
    #expect("\(explanation)".contains("body: multipart/form-data of 4 parts, "))
    #expect("\(node)" == "file")
    let boundary = try #require(explanation.request.headers["Content-Type"])
    #expect(boundary.hasPrefix("multipart/form-data; boundary=errand-"))
  }

  @Test("A value sent under a secret name is redacted wherever the server echoes the value")
  func echoed() async throws {
    let transport = FunctionTransport { _, _ in
      HTTPResponse(status: 400, body: Data("no such user: tops3cret".utf8))
    }
    let agent = RequestAgent(baseURL: "http://a", transport: transport)
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.post("x", parameters: ["f": Self.file, "password": "tops3cret"]))
    }
    #expect("\(error)".contains("no such user: <redacted>"))
  }

  @Test("A curl command has an option for each part, files by path, and no boundary")
  func curl() async throws {
    let folder = TemporaryDirectory()
    let file = try folder.file("a \"b\".png", "x")
    let request = HTTPRequest(
      url: try #require(URL(string: "http://a/x")), method: .post,
      headers: ["User-Agent": "E", "Accept": "*/*"],
      body: try RequestBody.multipart([
        "photo": .file(file, name: "me;.png"), "title": "@it's", "password": "hunter2",
        "note": .file(data: Data("abc".utf8), name: "n.txt"),
      ]).prepared { .init() })
    var sent = request
    sent.headers["Content-Type"] = request.body.contentType
    let path = file.path.replacing("\"", with: "\\\"")
    #expect(
      sent.curlCommand() == """
        curl 'http://a/x' \\
          --header 'User-Agent: E' \\
          --header 'Accept: */*' \\
          --header 'Expect:' \\
          --form-string 'title=@it'\\''s' \\
          --form-string 'password=<redacted>' \\
          --form 'photo=@"\(path)";filename="me;.png";type=image/png' \\
          --form 'note="abc";filename="n.txt";type=text/plain'
        """)
  }

  @Test("Parts in memory are in a curl command: text as text, and other bytes as standard input")
  func curlMemory() throws {
    func lines(_ parts: [BodyPart], _ redaction: Redaction = .standard) throws -> [String] {
      let body = try RequestBody.multipart(parts, boundary: "XyZ").prepared { .init() }
      let request = HTTPRequest(
        url: try #require(URL(string: "http://a/x")), method: .post,
        headers: ["User-Agent": "E", "Accept": "*/*", "Content-Type": try #require(body.contentType)],
        body: body)
      return request.curlCommand(redaction: redaction).components(separatedBy: "\n")
    }
    let json = BodyPart(name: "j", body: .data(Data(#"@{"a\b":";"}"#.utf8), contentType: "application/json"))
    #expect(
      try lines([json]).suffix(1) == [##"  --form 'j="@{\"a\\b\":\";\"}";type=application/json'"##])
    let secret = BodyPart(
      name: "j", body: .data(Data(#"{"password":"s3cret"}"#.utf8), contentType: "application/json"))
    #expect(
      try lines([secret]).suffix(1)
        == [##"  --form 'j="{\"password\":\"<redacted>\"}";type=application/json'"##])
    let image = BodyPart(
      name: "i", filename: "i.png", body: .data(Data([0, 0xFF, 0x41]), contentType: "image/png"))
    let form = #"  --form 'i=@-;filename="i.png";type=image/png'"#
    #expect(try lines([image]).first == ": 'Standard input must be the 3 bytes of the part i.'")
    #expect(try lines([image]).suffix(1) == [form])
    #expect(try lines([image], .none).first == #"printf '\000\377A' | curl 'http://a/x' \"#)
    #expect(try lines([image], .none).suffix(1) == [form])

    let two = try lines([image, image])
    #expect(two.first == ": 'Standard input must be the body of \(try Self.length([image, image])) bytes.'")
    #expect(two.suffix(1) == ["  --data-binary @-"])
    #expect(two.contains("  --header 'Content-Type: multipart/form-data; boundary=XyZ' \\"))
    let printed = try lines([image, image], .none)
    #expect(printed.first?.hasPrefix(#"printf '\055\055XyZ\015\012Content\055Disposition"#) == true)
    #expect(printed.first?.hasSuffix(#"\055\055XyZ\055\055\015\012' | curl 'http://a/x' \"#) == true)
    #expect(printed.suffix(1) == ["  --data-binary @-"])
  }

  private static func length(_ parts: [BodyPart]) throws -> Int64 {
    try #require(RequestBody.multipart(parts, boundary: "XyZ").prepared { .init() }.length)
  }

  @Test("A file is named in a curl command, and unsupported content becomes standard input")
  func curlFiles() throws {
    let folder = TemporaryDirectory()
    let file = try folder.file("a", "x")
    let url = try #require(URL(string: "http://a/x"))
    func last(_ body: RequestBody) -> Substring? {
      HTTPRequest(url: url, method: .post, body: body).curlCommand().split(separator: "\n").last
    }
    #expect(last(.file(file)) == "  --data-binary '@\(file.path)'")
    #expect(last(.multipart(["a=b": .file(file)])) == "  --data-binary @-")
    #expect(last(.multipart([BodyPart(body: .file(file))], type: .mixed)) == "  --data-binary @-")
    #expect(
      last(.multipart([BodyPart(name: "j", body: .json([1]))])) == "  --form 'j=@-;type=application/json'")
  }
}
