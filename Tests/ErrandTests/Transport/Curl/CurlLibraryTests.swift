#if os(Linux)
import CCurl
import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The libcurl of the system")
struct CurlLibraryTests {
  private func failure(of transport: CurlTransport, baseURL: URL) async throws -> RequestError {
    let agent = RequestAgent(baseURL: baseURL, transport: transport)
    return try #require(
      await #expect(throws: RequestError.self) { try await agent.send(.get("users/7", as: Data.self)) })
  }

  @Test(
    "without a library, each request fails with the searched files and the packages"
  )
  func missing() async throws {
    let server = try MockServer()
    server.route(.get, "/users/7", answers: .text("Ada"))
    let transport = CurlTransport(
      library: CurlLibrary(["liberrand-missing.so.4", "liberrand-missing-gnutls.so.4"]))
    for _ in 0..<2 {
      let error = try await failure(of: transport, baseURL: server.baseURL)
      #expect(error.kind == .unsupported)
      #expect(error.stage == .transport)
      #expect(error.reason.hasPrefix("libcurl could not be loaded (liberrand-missing.so.4: "))
      #expect(error.reason.contains("; liberrand-missing-gnutls.so.4: "))
      #expect(error.reason.hasSuffix("); install libcurl4 (Debian, Ubuntu) or libcurl (Fedora, Alpine)"))
    }
    #expect(server.requests.isEmpty)
    let other = RequestAgent(baseURL: server.baseURL, transport: CurlTransport())
    #expect(try await other.send(.get("users/7", as: String.self)) == "Ada")
  }

  @Test("another library is refused with the missing function")
  func strange() {
    let reason = CurlLibrary(["libz.so.1"]).failure?.message
    #expect(
      reason
        == "libcurl could not be loaded (libz.so.1: it has no function curl_global_init); install libcurl4 (Debian, "
        + "Ubuntu) or libcurl (Fedora, Alpine)")
  }

  @Test(
    "a libcurl before 7.76 is refused with its version, and 7.76 is not",
    arguments: [(0x07_4B_00, true), (0x07_4C_00, false)])
  func old(_ version: Int, isRefused: Bool) {
    "7.75.0".withCString { text in
      var info = ccurl_version_info_data()
      (info.version_num, info.version) = (UInt32(version), text)
      let refusal = CurlLibrary.refusal(of: info)
      #expect((refusal?.kind == .unsupported) == isRefused)
      #expect((refusal?.message == "libcurl 7.75.0 is too old; Errand needs 7.76 or newer") == isRefused)
    }
  }

  @Test("the system's libcurl is ready, and has a version")
  func system() throws {
    #expect(CurlLibrary.system.failure == nil)
    #expect(try #require(CurlLibrary.system.info).pointee.version_num >= 0x07_4C_00)
  }
}
#endif
