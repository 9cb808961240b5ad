#if os(Linux)
import ErrandMocks
import Foundation
import Glibc
import Testing

@testable import Errand

@Suite("Curl transport: unsendable requests")
struct CurlRefusedRequestTests {
  static let lengths: [(Int, Int, RequestError.Kind, String)] = [
    (1_200_000, 0, .invalidURL, "the URL is longer than libcurl sends, 1200000 bytes"),
    (9_000_000, 0, .invalidURL, "the URL is longer than libcurl sends, 9000000 bytes"),
    (
      0, 1_200_000, .invalidRequest,
      "the header fields of the request are longer than libcurl sends, 1200009 bytes"
    ),
  ]

  @Test("A request that is too long is an error of the request", arguments: lengths)
  func tooLong(_ row: (Int, Int, RequestError.Kind, String)) async throws {
    let server = try MockServer()
    server.route(nil, "/**", answers: .text("ok"))
    let root = server.baseURL.absoluteString + "/"
    let path = String(repeating: "a", count: max(row.0 - root.utf8.count, 0))
    let url = try #require(URL(string: root + path))
    let headers: HTTPHeaders = row.1 > 0 ? ["X-Big": String(repeating: "b", count: row.1)] : [:]
    let transport = CurlTransport()
    let error = await transport.failure(url, headers: headers)
    #expect(error?.kind == row.2 && error?.message == row.3)
    // A refused setting does not remain in libcurl's handle.
    #expect(try await transport.whole(try #require(URL(string: root + "x"))).text == "ok")
    #expect(server.requests.map(\.target) == ["/x"])
  }

  @Test("A long URL within the limit is sent")
  func fits() async throws {
    let server = try MockServer()
    server.route(nil, "/**", answers: .text("ok"))
    let path = String(repeating: "a", count: 40_000)
    let url = try #require(URL(string: server.baseURL.absoluteString + "/" + path))
    #expect(try await CurlTransport().whole(url).text == "ok")
  }

  @Test("Without file descriptors the error says so, for an address and for a name")
  func descriptors() async throws {
    // libdispatch checks its threads once a second, and crashes the process if its files cannot be opened.
    // One of five processes must finish earlier.
    for _ in 1...5 {
      var isRight = false
      await withKnownIssue("no descriptor for libdispatch", isIntermittent: true) {
        isRight = await probe()
      } matching: {
        "\($0)".contains("SIGILL")
      }
      if isRight { return }
    }
    Issue.record("none of five processes said so")
  }

  private func probe() async -> Bool {
    let result = await #expect(processExitsWith: .success) {
      let (known, others) = (try MockServer(), try MockServer())
      for server in [known, others] { server.route(nil, "/x", answers: .text("ok")) }
      let transport = CurlTransport(eventLoops: 1)
      _ = try await transport.whole(known.baseURL.appending(path: "x"))

      // The runtime's timers open descriptors at first use, and crash the process on failure.
      try await Task.sleep(for: .milliseconds(1), clock: .continuous)
      try await Task.sleep(for: .milliseconds(1), clock: .suspending)
      var limit = rlimit(rlim_cur: 128, rlim_max: 128)
      try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      var taken: [Int32] = []
      while true {
        let descriptor = dup(STDERR_FILENO)
        guard descriptor >= 0 else { break }
        taken.append(descriptor)
      }
      var messages: [String] = []
      for host in ["127.0.0.1", "localhost"] {
        let url = try #require(URL(string: "http://\(host):\(others.port)/x"))
        messages.append(await transport.failure(url)?.message ?? "nothing")
      }
      for descriptor in taken { close(descriptor) }
      #expect(
        messages
          == ["127.0.0.1", "localhost"].map {
            "no connection to \($0):\(others.port) could be made: the process has no file descriptors left"
          })
      let url = others.baseURL.appending(path: "x")
      #expect(try await transport.whole(url).text == "ok")
    }
    return result != nil
  }
}
#endif
