import Foundation
import Testing

@testable import Errand

@Suite("User info and Basic credentials")
struct UserInfoTests {
  @Test(
    "User info is removed from a URL and decoded",
    arguments: [
      ("http://u:p@h/x?a=1", "u", "p", "http://h/x?a=1"),
      ("https://u@h:1/", "u", "", "https://h:1/"),
      ("http://:p@h", "", "p", "http://h"),
      ("http://u%40h:p%3A%2F:é@h/@", "u@h", "p:/:é", "http://h/@"),
    ])
  func taken(_ text: String, _ username: String, _ password: String, _ stripped: String) throws {
    let url = try URLJoining.url(base: nil, path: text, query: [])
    let result = try URLJoining.userInfo(of: url)
    #expect(result.credentials == BasicCredentials(username: username, password: password))
    #expect(result.stripped.absoluteString == stripped)
  }

  @Test("A URL without user info is unchanged", arguments: ["http://h/@x", "http://h?a@b", "data:,a@b"])
  func untouched(_ text: String) throws {
    let url = try #require(URL(string: text))
    let result = try URLJoining.userInfo(of: url)
    #expect(result.credentials == nil && result.stripped == url)
  }

  @Test(
    "An encoded colon or control character is refused",
    arguments: ["http://a%3Ab:p@h/x", "http://a:b%0A@h/x"])
  func colon(_ text: String) throws {
    let url = try #require(URL(string: text))
    let message =
      "the user name or password in the URL \"http://h/x\" has a colon or a control character "
      + "that Basic credentials cannot carry"
    #expect(throws: Refusal(message, kind: .invalidURL)) { try URLJoining.userInfo(of: url) }
  }

  @Test("Credentials are Base64 of UTF-8")
  func headerValue() throws {
    let credentials = try #require(BasicCredentials(username: "Aladdin", password: "open sesame"))
    #expect(credentials.headerValue == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    let other = try #require(BasicCredentials(username: "test", password: "123£:"))
    #expect(other.headerValue == "Basic dGVzdDoxMjPCozo=")
  }

  @Test("A colon in the user name or a control character anywhere is refused")
  func invalid() {
    #expect(BasicCredentials(username: "a:b", password: "") == nil)
    #expect(BasicCredentials(username: "a\n", password: "") == nil)
    #expect(BasicCredentials(username: "a", password: "b\u{7F}") == nil)
    #expect(BasicCredentials(username: "a:\u{301}b", password: "") == nil)
    #expect(BasicCredentials(username: "", password: "") != nil)
  }

  @Test("Credentials are not printed")
  func printing() throws {
    let credentials = try #require(BasicCredentials(username: "hunter", password: "hunter2"))
    var dumped = ""
    dump(credentials, to: &dumped)
    let printed = "\(credentials) \(String(reflecting: credentials)) \(dumped) \([credentials])"
    #expect(!printed.contains("hunter"))
    #expect(credentials.description == "Basic credentials (hidden)")
  }

  @Test("Headers store and return credentials once")
  func headers() throws {
    let credentials = try #require(BasicCredentials(username: "u", password: "p"))
    var headers: HTTPHeaders = ["authorization": "a", "X": "1", "Authorization": "b"]
    headers.setBasicCredentials(credentials)
    #expect(headers == ["Authorization": "Basic dTpw", "X": "1"])
    #expect(HTTPHeaders.basic(credentials) == ["Authorization": "Basic dTpw"])
    headers.setBasicCredentials(nil)
    #expect(headers == ["X": "1"])
  }
}
