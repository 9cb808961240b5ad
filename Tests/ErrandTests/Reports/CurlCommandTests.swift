import Foundation
import Testing

@testable import Errand

@Suite("A request as a command line of curl")
struct CurlCommandTests {
  static let url = URL(string: "https://api.example.com/users?page=2")!
  static let quiet: HTTPHeaders = ["User-Agent": "Errand", "Accept": "*/*"]

  @Test("A GET is its URL and its headers, and curl's default headers are removed")
  func get() {
    let request = HTTPRequest(url: Self.url, headers: ["X-Trace": "it's", "X-Empty": ""])
    #expect(
      request.curlCommand() == #"""
        curl 'https://api.example.com/users?page=2' \
          --header 'X-Trace: it'\''s' \
          --header 'X-Empty;' \
          --header 'User-Agent:' \
          --header 'Accept:'
        """#)
  }

  @Test("A body is single-quoted text, and a method with a body sends an empty body")
  func bodies() {
    var request = HTTPRequest(
      url: Self.url, method: .post, headers: Self.quiet.merging(["Content-Type": "text/plain"]),
      body: .text("@file\n$(rm -rf /) `id` 'q'"))
    #expect(
      request.curlCommand() == #"""
        curl 'https://api.example.com/users?page=2' \
          --header 'User-Agent: Errand' \
          --header 'Accept: */*' \
          --header 'Content-Type: text/plain' \
          --header 'Expect:' \
          --data-raw '@file
        $(rm -rf /) `id` '\''q'\'''
        """#)
    request = HTTPRequest(url: Self.url, method: .put, headers: Self.quiet)
    #expect(
      request.curlCommand() == #"""
        curl 'https://api.example.com/users?page=2' \
          --request 'PUT' \
          --header 'User-Agent: Errand' \
          --header 'Accept: */*' \
          --header 'Content-Type:' \
          --header 'Expect:' \
          --data-raw ''
        """#)
  }

  @Test("A quote with a combining character is still a quote")
  func combining() {
    let text = "x'\u{301}; id; echo '\u{20D0}"
    let request = HTTPRequest(
      url: Self.url, method: .post, headers: Self.quiet.merging(["Content-Type": "text/plain"]),
      body: .text(text))
    let quoted = #"--data-raw 'x'\''"# + "\u{301}; id; echo " + #"'\''"# + "\u{20D0}'"
    for redaction in [Redaction.standard, .none] {
      let line = request.curlCommand(redaction: redaction)
      #expect(Array(line.unicodeScalars.suffix(quoted.unicodeScalars.count)) == Array(quoted.unicodeScalars))
    }
  }

  @Test("Invisible and bidirectional characters are written by printf, and lines and tabs stay")
  func unseen() {
    let request = HTTPRequest(
      url: Self.url, method: .post, headers: Self.quiet.merging(["Content-Type": "text/plain"]),
      body: .text("a\u{202E}gpj'\u{200B}\u{1B}[31m\r\n\tz\u{AD}"))
    for redaction in [Redaction.standard, .none] {
      let line = request.curlCommand(redaction: redaction)
      #expect(
        line.hasSuffix(
          #"""
          --data-raw 'a'"$(printf '\342\200\256')"'gpj'\'''"$(printf '\342\200\213\033')"'[31m'"$(printf '\015')"'
          \#tz'"$(printf '\302\255')"''
          """#))
      #expect(line.printed == line)
    }
  }

  @Test("Binary bytes are counted with redaction, and written by printf without")
  func binary() {
    let request = HTTPRequest(
      url: Self.url, method: .post, headers: Self.quiet, body: .data(Data([0, 0xFF, 0x41, 0x31, 0x27])))
    let options = #"""
       \
        --header 'User-Agent: Errand' \
        --header 'Accept: */*' \
        --header 'Content-Type:' \
        --header 'Expect:' \

      """#
    let curl = "curl 'https://api.example.com/users?page=2'"
    #expect(request.curlCommand() == curl + options + "  --data-raw '(5 bytes)'")
    #expect(
      request.curlCommand(redaction: .none)
        == #"printf '\000\377A1\047' | "# + curl + options + "  --data-binary @-")
  }

  @Test("HEAD, other methods, brackets and dot segments have their options")
  func options() throws {
    func options(_ method: HTTPMethod, _ url: String) throws -> [String] {
      let request = HTTPRequest(url: try #require(URL(string: url)), method: method, headers: Self.quiet)
      let words = request.curlCommand().components(separatedBy: " \\\n  ").dropFirst()
      return words.filter { !$0.hasPrefix("--header") }
    }
    #expect(try options(.head, "http://a/") == ["--head"])
    #expect(try options("PURGE", "http://a/") == ["--request 'PURGE'"])
    #expect(try options(.get, "http://[::1]/") == ["--globoff"])
    #expect(try options(.get, "http://a/../b") == ["--path-as-is"])
  }

  @Test("A stream comes from standard input, in chunks if its length is unknown")
  func streams() {
    let chunks = AsyncStream<Data> { $0.finish() }
    for (length, chunked) in [(nil, ["--header 'Transfer-Encoding: chunked'"]), (3, [])]
      as [(Int64?, [String])]
    {
      let request = HTTPRequest(
        url: Self.url, method: .post, headers: Self.quiet, body: .stream(chunks, length: length))
      let words = request.curlCommand().components(separatedBy: " \\\n  ")
      #expect(
        Array(words.suffix(from: 3)) == ["--header 'Content-Type:'", "--header 'Expect:'"] + chunked
          + ["--data-binary @-"])
    }
  }

  @Test("Secrets are redacted in the URL, the headers and the body, unless redaction is off")
  func secrets() throws {
    let request = HTTPRequest(
      url: try #require(URL(string: "https://example.com/?token=s3cret")), method: .post,
      headers: ["Authorization": "Bearer s3cret", "Content-Type": "application/json"],
      body: .text(#"{"password":"s3cret"}"#))
    #expect(!request.curlCommand().contains("s3cret"))
    #expect(request.curlCommand().components(separatedBy: Redaction.marker).count == 4)
    #expect(request.curlCommand(redaction: .none).components(separatedBy: "s3cret").count == 4)
  }
}
