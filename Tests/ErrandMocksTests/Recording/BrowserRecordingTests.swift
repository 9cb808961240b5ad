import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("HAR files of browsers")
struct BrowserRecordingTests {
  /// The formats of Chromium, Firefox and Playwright combined.
  static let text = #"""
    {"log":{"version":"1.2","creator":{"name":"WebInspector","version":"537.36"},"browser":{"name":"x"},
    "pages":[{"id":"page_1","title":"t","startedDateTime":"2026-11-21T10:00:00.000Z","pageTimings":{}}],
    "_own":{"deep":[1,2.5,null,true]},
    "entries":[
    {"_initiator":{"type":"other"},"_priority":"VeryHigh","pageref":"page_1","connection":"443",
     "startedDateTime":"2026-11-21T10:00:00.123+01:00","time":12.345,"serverIPAddress":"[::1]","cache":{},
     "request":{"method":"GET","url":"https://h/a?x=1#frag","httpVersion":"h2","headersSize":-1,"bodySize":0,
      "headers":[{"name":":method","value":"GET"},{"name":":authority","value":"h"},{"name":"accept","value":"*/*"}],
      "queryString":[{"name":"x","value":"1"}],"cookies":[{"name":"c","value":"v","httpOnly":true}]},
     "response":{"status":200,"statusText":"","httpVersion":"h2","headersSize":-1,"bodySize":-1,"cookies":[],
      "_transferSize":57,"_error":null,"redirectURL":"",
      "headers":[{"name":":status","value":"200"},{"name":"content-type","value":"image/gif"},
       {"name":"content-encoding","value":"br"},{"name":"content-length","value":"57"},
       {"name":"set-cookie","value":"a=1\nb=2"}],
      "content":{"size":6,"mimeType":"image/gif","text":"R0lGODlh","encoding":"base64","compression":-51}},
     "timings":{"blocked":1.5,"dns":-1,"ssl":null,"connect":-1,"send":0.1,"wait":3,"receive":1,"_queued":0.4}},
    {"startedDateTime":"","time":-1,"cache":null,"timings":{},
     "request":{"method":"GET","url":"https://h/a?x=1","headers":[],"postData":null},
     "response":{"status":200,"headers":[{"name":"content-type","value":"text/html; charset=windows-1252"}],
      "content":{"size":2.0,"mimeType":"text/html; charset=windows-1252","text":"é€"}}},
    {"request":{"method":"GET","url":"https://h/image","bodySize":null},
     "response":{"status":206,"content":{"size":123456,"mimeType":"x-unknown"}}},
    {"request":{"method":"GET","url":"https://gone/"},
     "response":{"status":0,"statusText":"","_error":"net::ERR_NAME_NOT_RESOLVED","content":{"size":0}}},
    {"request":{"method":"GET","url":"https://h/aborted"},"response":{"status":-1,"_failureText":"NS_BINDING_ABORTED"}},
    {"request":{"method":"GET","url":"data:image/png;base64,AAAA"},"response":{"status":200}},
    {"request":{"method":"POST","url":"https://h/form","postData":{"mimeType":"application/x-www-form-urlencoded",
      "params":[{"name":"a","value":"1"},{"name":"b","value":"x%20y"}]}},
     "response":{"status":303,"redirectURL":"/a?x=1","headers":[{"name":"location","value":"/a?x=1"}]}},
    {"request":{"method":"POST","url":"https://h/form","postData":{"mimeType":"text/plain","text":"other"}},
     "response":{"status":400}}
    ]}}
    """#

  let folder = RecordingFolder()
  let replay: RecordingTransport

  init() throws { replay = try RecordingTransport(folder.write(Self.text)) }

  @Test("Pseudo-fields are dropped, joined fields are split, and base64 is decoded")
  func fields() async throws {
    let response = try await replay.answer(.get, "https://h/a?x=1")
    #expect(
      response.headers == [
        "content-type": "image/gif", "content-encoding": "br", "content-length": "57", "set-cookie": "a=1",
        "set-cookie": "b=2",
      ])
    #expect(response.body == Data("GIF89a".utf8))
    #expect(response.headers["Content-Type"] == "image/gif")
  }

  @Test("Text decoded by the browser is encoded again, and entries for a URL are used in order")
  func charset() async throws {
    try await replay.answer(.get, "https://h/a?x=1")
    #expect(try await replay.answer(.get, "https://h/a?x=1").body == Data([0xE9, 0x80]))
  }

  @Test("A missing body is empty")
  func noText() async throws {
    let response = try await replay.answer(.get, "https://h/image")
    #expect(response.status == 206)
    #expect(response.body.isEmpty)
  }

  @Test("A failed request fails again, with the browser's reason")
  func failed() async throws {
    await #expect(
      throws: TransportError(
        .nameNotResolved,
        "the exchange failed when it was recorded (entry 4, GET https://gone/): net::ERR_NAME_NOT_RESOLVED")
    ) { try await replay.answer(.get, "https://gone/") }
    await #expect(
      throws: TransportError(
        .transport,
        "the exchange failed when it was recorded (entry 5, GET https://h/aborted): NS_BINDING_ABORTED")
    ) { try await replay.answer(.get, "https://h/aborted") }
  }

  @Test("A form is found by its text, and its redirect is followed")
  func form() async throws {
    let agent = RequestAgent(baseURL: "https://h", transport: replay)
    let call = OneOffRequest<Data>(
      "form", method: .post, parameters: ["a": 1, "b": "x y"], response: .data)
    #expect(try await agent.send(call) == Data("GIF89a".utf8))
  }

  @Test("Further recording keeps the contents of a file of another tool")
  func more() async throws {
    let recording = try RecordingTransport(
      folder.file(), mode: .recordMissing, over: MockTransport { _ in .text("new") })
    try await recording.answer(.get, "https://h/new")
    try recording.save()
    let replay = try RecordingTransport(folder.file())
    #expect(replay.unusedEntries.map(\.status) == [200, 200, 206, 0, 0, 200, 303, 400, 200])
    #expect(try await replay.answer(.get, "https://h/a?x=1").body == Data("GIF89a".utf8))
    #expect(try await replay.line(.get, "https://h/new") == "200 new")
  }
}
