import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("The contract check of a recording")
struct ContractCheckTests {
  let folder = RecordingFolder()

  struct User: Decodable, Sendable {
    struct Address: Decodable, Sendable { var zip: String }
    var id: Int
    var address: Address
  }

  struct GetUser: Request {
    typealias Response = User
    var id: Int
    var path: String { "users/\(id)" }
    var validators: [any ResponseValidator] { [.status(200..<300), .contentType("application/json")] }
    let retryPolicy: RetryPolicy = .upTo(3)
  }

  struct Search: Request {
    typealias Response = [User]
    var text: String
    let path = "search"
    let method = HTTPMethod.post
    let requestSerializer: RequestSerializer = .json
    var parameters: Parameters { ["q": text] }
  }

  func problems(_ requests: any Request..., hooks: [any RequestHooks] = []) async throws -> [String] {
    let file = folder.file()
    return try await RecordingTransport(file).check(requests) { transport in
      RequestAgent(baseURL: "https://h", transport: transport, hooks: hooks)
    }.map { problem in
      let place = problem.entry.map { "\($0.number)" } ?? "none"
      return "\(place): \(problem.error.map { "\($0.kind): \($0.reason)" } ?? "unclaimed")"
    }
  }

  static let sound = #"{"id":7,"address":{"zip":"1"}}"#

  @Test("Matching responses cause no problem, every entry is checked, and the check marks no entry as used")
  func sound() async throws {
    try folder.write(
      entries: RecordingFolder.entry("https://h/users/7", body: Self.sound),
      RecordingFolder.entry("https://h/users/7", body: Self.sound))
    #expect(try await problems(GetUser(id: 7)) == [])
    let replay = try RecordingTransport(folder.file())
    _ = try await replay.check([GetUser(id: 7)]) { RequestAgent(baseURL: "https://h", transport: $0) }
    #expect(replay.unusedEntries.count == 2)
  }

  @Test("Each of several entries for a URL is checked once, in order")
  func many() async throws {
    let sound = RecordingFolder.entry("https://h/users/7", body: Self.sound)
    let broken = RecordingFolder.entry("https://h/users/7", body: "[]")
    let entries = (0..<1_500).map { $0 % 500 == 499 ? broken : sound }.joined(separator: ",")
    try folder.write("{\"log\":{\"version\":\"1.2\",\"entries\":[\(entries)]}}")
    let text = "decoding: expected an object, found an array"
    #expect(try await problems(GetUser(id: 7)) == ["500: \(text)", "1000: \(text)", "1500: \(text)"])
  }

  @Test(
    "Each mismatch is reported with its JSON path, as are endpoints without entries and entries without endpoints"
  )
  func problems() async throws {
    try folder.write(
      entries: RecordingFolder.entry("https://h/users/7", body: Self.sound),
      RecordingFolder.entry("https://h/users/7", body: #"{"id":7,"address":{"zip":1}}"#),
      RecordingFolder.entry("https://h/users/7", status: 503, body: Self.sound),
      RecordingFolder.entry("https://h/teams"), RecordingFolder.entry("https://h/users/7", body: "{}"))
    let found = try await problems(GetUser(id: 7), GetUser(id: 8))
    #expect(
      found == [
        "2: decoding: address.zip: expected String, found a number",
        "3: status: status 503 Service Unavailable is not in 200..<300",
        "5: decoding: there is no \"id\"",
        "none: unmatchedStub: no entry of users.har answers GET https://h/users/8; nearest: entry 1, GET "
          + "https://h/users/7 (another path). Record the request once with the mode recordMissing",
        "4: unclaimed",
      ])
  }

  @Test("A response that is nested too deep is a problem, not a crash", arguments: [513, 2_000])
  func deep(_ depth: Int) async throws {
    try folder.write(
      entries: RecordingFolder.entry("https://h/users/7", body: String(repeating: "[", count: depth)))
    #expect(
      try await problems(GetUser(id: 7)) == ["1: decoding: the JSON is nested deeper than 512 levels"])
  }

  @Test("A problem's text has the file, the entry, the request line and the error")
  func text() async throws {
    try folder.write(
      entries: RecordingFolder.entry("https://h/users/7", body: "[]"), RecordingFolder.entry("https://h/b"))
    let file = folder.file()
    let texts = try await RecordingTransport(file).check([GetUser(id: 7)]) {
      RequestAgent(baseURL: "https://h", transport: $0)
    }.map { $0.description.split(separator: "\n").prefix(2).joined(separator: "\n") }
    #expect(
      texts == [
        """
        users.har, entry 1, GET https://h/users/7, 200 OK:
        GET https://h/users/7 failed: expected an object, found an array.
        """, "users.har, entry 2, GET https://h/b, 200 OK: no endpoint requests the entry",
      ])
  }

  @Test("Entries with different bodies match the endpoint's body, and all entries match if none is equal")
  func bodies() async throws {
    let url = "https://h/search"
    try folder.write(
      entries: RecordingFolder.entry("POST", url, body: "[]", sent: #"{"q":"a"}"#),
      RecordingFolder.entry("POST", url, body: "[1]", sent: #"{"q":"b"}"#))
    #expect(try await problems(Search(text: "a")) == ["2: unclaimed"])
    #expect(
      try await problems(Search(text: "c")) == ["2: decoding: [0]: expected an object, found a number"])
  }

  @Test("Redirects use their entries, which several requests may share, and hooks run")
  func redirects() async throws {
    struct Stamp: RequestHooks {
      func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
        response.body = Data(
          String(decoding: response.body, as: UTF8.self).replacing("seven", with: "7").utf8)
      }
    }
    let hop = { (target: String) in
      #"{"request":{"method":"GET","url":"https://h/users/7"},"response":{"status":302,"#
        + #""headers":[{"name":"Location","value":"\#(target)"}]}}"#
    }
    try folder.write(
      entries: hop("/u7"), hop("/u7"), hop("/gone"),
      RecordingFolder.entry("https://h/u7", body: #"{"id":seven,"address":{"zip":"1"}}"#))
    let found = try await problems(GetUser(id: 7), hooks: [Stamp()])
    #expect(found.count == 1)
    #expect(
      found.first?.hasPrefix("3: unmatchedStub: no entry of users.har answers GET https://h/gone;") == true)
  }

  @Test("A retry requested by a hook gets the next entry, and there is no endless loop")
  func forcedRetry() async throws {
    struct Again: RequestHooks {
      func retryDecision(
        for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
      ) async -> RetryPolicy.Decision { error.status == 401 ? .retry : suggested }
    }
    try folder.write(
      entries: RecordingFolder.entry("https://h/users/7", status: 401),
      RecordingFolder.entry("https://h/users/7", body: Self.sound),
      RecordingFolder.entry("https://h/users/7", status: 401))
    #expect(
      try await problems(GetUser(id: 7), hooks: [Again()]) == [
        "3: unmatchedStub: every entry of users.har for GET https://h/users/7 was used: entry 1; entry 2; entry 3. "
          + "Record the request once with the mode recordMissing"
      ])
  }
}
