import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Checksums of downloaded files", .timeLimit(.minutes(5)))
struct ChecksumTests {
  static func sha256(_ data: Data) -> String { RunningSumTests.sum(.sha256, [data]) }
  static func sha512(_ data: Data) -> String { RunningSumTests.sum(.sha512, [data]) }

  /// In the format of `Repr-Digest`.
  static func announced(_ kind: String, _ digits: String) -> String {
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      bytes.append(UInt8(digits.dropFirst(index).prefix(2), radix: 16) ?? 0)
    }
    return "\(kind)=:\(Data(bytes).base64EncodedString()):"
  }

  private let directory = TemporaryDirectory()
  private let content = Data("the content of the file".utf8)
  private var destination: URL { directory.url.appendingPathComponent("file") }

  private func download(
    _ checksum: FileChecksum, _ answer: MockAnswer
  ) async throws -> (DownloadedFile, MockTransport) {
    let transport = MockTransport { _ in answer }
    let agent = RequestAgent.mocked(by: transport)
    return (try await agent.download(.get("file"), to: destination, checksum: checksum), transport)
  }

  private func reason(_ checksum: FileChecksum, _ answer: MockAnswer) async throws -> String {
    try Data("old".utf8).write(to: destination)
    let error = try await #require(throws: RequestError.self) { _ = try await download(checksum, answer) }
    #expect(try String(contentsOf: destination, encoding: .utf8) == "old")
    #expect(try directory.files == ["file"])
    return "\(error.kind): \(error.reason)"
  }

  @Test("A given checksum matches the file, in any letter case, also for a chunked body")
  func given() async throws {
    let pieces = [Data(content.prefix(3)), Data(content.dropFirst(3))]
    for checksum in [
      FileChecksum.sha256(Self.sha256(content).uppercased()), .sha512(Self.sha512(content)),
    ] {
      let (file, transport) = try await download(checksum, .chunks(pieces))
      #expect(file.size == 23 && transport.requests[0].headers["Want-Repr-Digest"] == nil)
    }
  }

  @Test("Another file is refused with both checksums, and the old file stays")
  func other() async throws {
    let wanted = String(repeating: "0", count: 64)
    let reason = try await reason(.sha256(wanted), .data(content))
    #expect(
      reason
        == "invalidResponse: file has the sha-256 \(Self.sha256(content)) instead of \(wanted); the downloaded bytes were removed"
    )
  }

  @Test(
    "Invalid digits are refused before sending",
    arguments: ["", "abc", String(repeating: "g", count: 64)])
  func digits(_ text: String) async throws {
    let transport = MockTransport { _ in .status(500) }
    let error = try await #require(throws: RequestError.self) {
      try await RequestAgent.mocked(by: transport).download(
        .get("file"), to: destination, checksum: .sha256(text))
    }
    #expect(error.reason == "the checksum \"\(text)\" is not 64 hexadecimal digits")
    #expect(error.kind == .invalidRequest && error.stage == .build && transport.requests.isEmpty)
  }

  @Test("The announced checksum is requested, the strongest of several counts, and weak checksums do not")
  func announced() async throws {
    let zeros = String(repeating: "0", count: 64)
    let (sha256, sha512) = (
      Self.announced("sha-256", Self.sha256(content)), Self.announced("sha-512", Self.sha512(content))
    )
    for field in [sha256, "md5=:AAAA:, \(sha256)", "\(Self.announced("sha-256", zeros)), \(sha512); q=1"] {
      let (file, transport) = try await download(.announced, .data(content).header("Repr-Digest", field))
      #expect(file.size == 23)
      let headers = transport.requests[0].headers
      #expect(headers["Want-Repr-Digest"] == "sha-512=10, sha-256=5")
      #expect(headers["Accept-Encoding"] == "identity")
    }
    let wrong = MockAnswer.data(content).header("Repr-Digest", Self.announced("sha-256", zeros))
    #expect(try await reason(.announced, wrong).contains("instead of \(zeros)"))
  }

  @Test(
    "A missing or broken announcement is an error",
    arguments: [
      "", "md5=:AAAA:", "sha-256=AAAA", "sha-256=:AAAA:", "sha-256=:?:", "sha-256", "=", ";,;=:::",
      "sha-256=;",
    ])
  func missing(_ field: String) async throws {
    #expect(
      try await reason(.announced, .data(content).header("Repr-Digest", field))
        == "invalidResponse: the server sent no sha-512 or sha-256 in Repr-Digest")
  }

  @Test("A checksum of encoded bytes is not that of the file")
  func encoded() async throws {
    let zeros = String(repeating: "0", count: 64)
    let answer = MockAnswer.data(content).header("Content-Encoding", "x-odd")
      .header("Repr-Digest", Self.announced("sha-256", zeros))
    #expect(
      try await reason(.announced, answer)
        == "invalidResponse: the server's checksum covers the encoded bytes, not the decoded file")
  }
}
