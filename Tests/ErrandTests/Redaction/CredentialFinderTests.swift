import Foundation
import Testing

@testable import Errand

@Suite("Credentials learned from a request")
struct CredentialFinderTests {
  static func learned(_ request: HTTPRequest, _ redaction: Redaction = .standard) -> [String] {
    CredentialFinder.values(in: request, by: redaction)
      .map { String(decoding: $0.bytes, as: UTF8.self) }.sorted()
  }

  static func learned(_ headers: HTTPHeaders) -> [String] {
    learned(HTTPRequest(url: URL(filePath: "/"), headers: headers))
  }

  @Test(
    "The credentials of a header are learned",
    arguments: [
      ("Bearer abcd1234", ["abcd1234"]),
      ("Basic YWRhOmh1bnRlcjI=", ["YWRhOmh1bnRlcjI=", "hunter2"]),
      ("Basic c2tfbGl2ZTo=", ["c2tfbGl2ZTo=", "sk_live"]),
      ("abcd1234", ["abcd1234"]), ("My abcd1234", ["My abcd1234", "abcd1234"]), ("abc", []),
    ])
  func authorization(value: String, expected: [String]) {
    #expect(Self.learned(["Authorization": value]) == expected)
  }

  @Test("The parameters of a scheme are learned, except harmless parameters")
  func parameters() {
    let digest = #"Digest username="ada", realm="example", nonce="n0nce", uri="/users", response="6629fae""#
    let values = Self.learned(["Authorization": digest])
    #expect(values.contains("6629fae") && values.contains("n0nce"))
    #expect(!values.contains("example") && !values.contains("/users") && !values.contains("ada"))
  }

  @Test("Cookies and the values of other secret headers are learned, and nothing else of the head")
  func headers() {
    #expect(
      Self.learned(["Cookie": "sid=s%3Aabc; a=\"quoted\"; b=1", "X-Api-Key": "k3y-1", "Accept": "text/html"])
        == ["k3y-1", "quoted", "s%3Aabc", "s:abc"])
  }

  @Test("Secret items of the URL are learned, including a nested URL")
  func url() throws {
    let url = try #require(
      URL(string: "https://h/p?token=t%2Bken+1&page=second&next=https%3A%2F%2Fi%2F%3Fsig%3Dinner#token=frag"))
    #expect(Self.learned(HTTPRequest(url: url)) == ["frag", "inner", "t+ken 1"])
    let user = try #require(URL(string: "https://ada:hunt%65r2@h/"))
    #expect(Self.learned(HTTPRequest(url: user)) == ["hunter2"])
  }

  @Test("Secret fields of a form and members of JSON are learned, at any depth")
  func bodies() {
    let form = RequestBody.text(
      "a=first&user%5Bpassword%5D=p+q%21", contentType: "application/x-www-form-urlencoded")
    let json = RequestBody.text(
      #"{"a":"first","password":{"old":["one1",12345,true],"new":"tw\u006f2"},"b":[{"token":"three"}]}"#,
      contentType: "application/json")
    func learned(_ body: RequestBody) -> [String] {
      Self.learned(
        HTTPRequest(
          url: URL(filePath: "/"), headers: ["Content-Type": body.contentType ?? ""], body: body))
    }
    #expect(learned(form) == ["p q!"])
    #expect(learned(json) == ["12345", "one1", "three", "two2"])
    #expect(learned(.text("{\"token\":", contentType: "application/json")) == [])
  }

  @Test("Nothing is learned without hidden names, and words and short values are not")
  func harmless() {
    let request = HTTPRequest(url: URL(filePath: "/"), headers: ["Authorization": "Bearer abcd1234"])
    #expect(Self.learned(request, .none) == [])
    #expect(Self.learned(["X-Token": "true"]) == [] && Self.learned(["X-Token": "abc"]) == [])
    let redaction = Redaction.standard.hidingCredentials(
      of: HTTPRequest(url: URL(filePath: "/"), headers: ["X-Token": "dark"]))
    #expect(redaction.text("darkness in the dark") == "darkness in the <redacted>")
  }
}
