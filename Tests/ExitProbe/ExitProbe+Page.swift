import Errand
import ErrandLogs
import ErrandMocks
import Foundation

extension ExitProbe {
  /// A script that would run in a page without escaping.
  private static let evil =
    "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=2'><!--\"><svg onload=window.hacked=3>"

  /// A picture of one pixel.
  private static let picture = Data(
    base64Encoded:
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mNgaOUHAAEtAJf7Hba8AAAAAElFTkSuQmCC")

  /// Writes a page with many kinds of dispatches, including hostile dispatches, and `count` plain dispatches.
  ///
  /// `.ci/check-page` checks the page.
  static func writePage(in folder: String, count: Int, exchangesPerPage: Int?) async throws {
    var limits = HTMLLogger.Limits()
    if let exchangesPerPage { limits.exchangesPerPage = exchangesPerPage }
    let logger = HTMLLogger(directory: URL(fileURLWithPath: folder), name: "check", limits: limits)
    let agent = RequestAgent(
      baseURL: "https://api.example.com", transport: MockTransport { answer(to: $0) }, accessories: [logger])
    let user = OneOffRequest<Data>.get("users/7", as: Data.self)
    _ = try await agent.send(user.with(\.comment, "profile"))
    let hostile = OneOffRequest<Data>(
      "evil/%3Cscript%3E", method: .post, query: ["q": evil], headers: ["X-Evil": evil], body: .text(evil),
      response: .data)
    _ = try await agent.send(hostile.with(\.comment, evil))
    _ = try await agent.send(OneOffRequest<Data>.get("picture", as: Data.self))
    _ = try? await agent.send(OneOffRequest<Data>.get("missing", as: Data.self))
    _ = try? await agent.send(
      user.with(\.path, "busy").with(\.retryPolicy, .upTo(1, backoff: .constant(.milliseconds(20)))))
    _ = try await agent.send(OneOffRequest<Data>.get("bytes", as: Data.self))
    let form: Parameters = [
      "title": "Sunset", "password": "s3cret",
      "photo": Parameters.File.file(data: picture ?? Data(), name: "a.png"),
    ]
    _ = try await agent.send(
      OneOffRequest<Data>("upload", method: .post, body: .multipart(form), response: .data))
    _ = try await agent.send(user.with(\.path, "moved").with(\.comment, "an old address"))
    for index in 0..<count {
      _ = try await agent.send(OneOffRequest<Data>.get("items/\(index)", as: Data.self))
      if index % 200 == 199 { await logger.flush() }
    }
    await logger.flush()
    print(logger.problem ?? logger.newest.path)
  }

  /// Writes a page of texts with invisible characters, and with a string that the check makes longer.
  ///
  /// `.ci/check-page` checks the page.
  static func writeOddPage(in folder: String) async throws {
    let logger = HTMLLogger(directory: URL(fileURLWithPath: folder), name: "odd")
    let agent = RequestAgent(
      baseURL: "https://api.example.com",
      transport: MockTransport { _ in .json(#"["LONG","a\"b\\",-1.50,true,"#) },
      accessories: [logger])
    let land = OneOffRequest<Data>.get("land?next=%E2%80%AEgpj.exe%00%1B%5B31m", as: Data.self)
    _ = try await agent.send(land.with(\.comment, "odd \u{202E}one"))
    let form = OneOffRequest<Data>(
      "form", method: .post, parameters: ["a\u{200B}": "\u{2066}x\ty\u{AD}"], response: .data)
    _ = try await agent.send(form)
    let text = OneOffRequest<Data>("text", method: .post, body: .text("a\u{202E}b\u{2028}"), response: .data)
    _ = try await agent.send(text)
    await logger.flush()
    print(logger.problem ?? logger.newest.path)
  }

  private static func answer(to request: ReceivedRequest) -> MockAnswer {
    switch request.path.split(separator: "/").last ?? "" {
    case "7":
      .json(
        #"{"id":7,"name":"Ada","tags":["a","b"],"home":{"city":"London","geo":{"lat":51.50740,"lon":-0.1}},"count":12345678901234567890}"#
      )
    case "picture": .data(picture ?? Data(), contentType: "image/png")
    case "missing": .status(404)
    case "busy": .status(503)
    case "moved": .status(302).header("Location", "/users/7")
    case "bytes": .data(Data([0, 1, 2, 255]), contentType: "application/octet-stream")
    case let name where name.contains("script"):
      .data(Data(evil.utf8), contentType: "text/html").header("X-Evil", evil)
    default: .json(#"{"ok":true}"#)
    }
  }
}
