#if os(Linux)
import Foundation
import Testing

@testable import Errand

/// libcurl passes a long line on in pieces.
@Suite(
  "Long header fields",
  .timeLimit(.minutes(ProcessInfo.processInfo.environment["ERRAND_FIELD_STEP"] == nil ? 10 : 600)))
struct LongFieldTests {
  enum Framing: String, CaseIterable { case length, chunked, close }

  let transport = CurlTransport(certificateAuthorities: TLSIdentity.certificate)

  /// At the limits of pieces and buffers.
  ///
  /// `ERRAND_FIELD_STEP=1` tests every length, which takes hours.
  static let lengths: [Int] = {
    if let step = ProcessInfo.processInfo.environment["ERRAND_FIELD_STEP"].flatMap({ Int($0) }) {
      return Array(stride(from: 16_300, through: 240_000, by: step))
    }
    let edges = stride(from: 16_384, through: 240_000, by: 16_384).flatMap {
      [$0 - 12, $0 - 10, $0 - 9, $0, $0 + 1]
    }
    return Array(stride(from: 16_300, through: 240_000, by: 7_919)) + edges + [
      102_380, 102_390, 102_400, 240_000,
    ]
  }()

  private static func line(_ length: Int) -> String { "X-Long: \(value(length))\r\n" }

  /// The pieces look like a field, and like a status line.
  private static func value(_ length: Int) -> String {
    String(
      String(repeating: "Content-Length: 9 \t HTTP/1.1 200 OK ", count: length / 36 + 1).prefix(length - 1))
      + "."
  }

  private static func response(_ framing: Framing, _ length: Int) -> Data {
    let rest =
      switch framing {
      case .length: "Content-Length: 2\r\nX-Last: 1\r\n\r\nok"
      case .chunked: "Transfer-Encoding: chunked\r\nX-Last: 1\r\n\r\n2\r\nok\r\n0\r\n\r\n"
      case .close: "Connection: close\r\nX-Last: 1\r\n\r\nok"
      }
    return Data("HTTP/1.1 200 OK\r\n\(line(length))\(rest)".utf8)
  }

  /// Answers `/framing/length/split` in two pieces.
  private static let script: RawServer.Script = { connection in
    while let request = connection.readRequest() {
      let parts = request.line.split(separator: " ")[1].split(separator: "/")
      guard let framing = Framing(rawValue: String(parts[0])), let length = Int(parts[1]),
        let split = Int(parts[2])
      else { return }
      let bytes = response(framing, length)
      let place = split % bytes.count
      connection.send(bytes.prefix(place))
      connection.send(bytes.dropFirst(place))
      if framing == .close { return }
    }
  }

  private func outcome(_ url: URL) async -> String {
    do {
      let response = try await transport.get(url)
      let body = String(decoding: try await response.body.all(), as: UTF8.self)
      let fields = response.head.headers.fields.map { "\($0.name)=\($0.value)" }
      return "\(response.head.status.code) \(fields.joined(separator: ";")) \(body)"
    } catch {
      return "\(error)"
    }
  }

  private func expected(_ framing: Framing, _ length: Int) -> String {
    // libcurl refuses longer lines.
    guard Self.line(length).utf8.count < 102_400 else {
      return "a line of the head of the response is longer than libcurl takes"
    }
    let framed =
      switch framing {
      case .length: "Content-Length=2"
      case .chunked: "Transfer-Encoding=chunked"
      case .close: "Connection=close"
      }
    return "200 X-Long=\(Self.value(length));\(framed);X-Last=1 ok"
  }

  @Test(
    "head and body are exact for first and later requests, for any split",
    arguments: Framing.allCases, [false, true])
  func exact(framing: Framing, isSecure: Bool) async throws {
    let server = isSecure ? try RawServer.secure(Self.script) : RawServer(Self.script)
    var random = SeededGenerator(seed: 31)
    var wrong: [Int] = []
    for length in Self.lengths {
      for _ in 0..<2 {
        let split = random.below(4) == 0 ? random.below(60) : random.below(length + 60)
        let outcome = await outcome(server.url("/\(framing.rawValue)/\(length)/\(split)"))
        let expected = expected(framing, length)
        if outcome != expected, !(expected.hasPrefix("a line") && outcome.hasPrefix(expected)) {
          wrong.append(length)
        }
      }
    }
    #expect(wrong == [])
  }

  @Test(
    "head and body are exact over HTTP/2",
    .enabled(if: CurlTransport().capabilities.httpVersions.contains("HTTP/2")))
  func exactOverHTTP2() async throws {
    let server = try RawServer.secure(offering: TLSChannel.Offer(alpn: "h2")) { connection in
      var served = 0
      connection.serveHTTP2 { stream in
        let length = Self.shortLengths[served / 2]
        served += 1
        let fields = [(name: "x-long", value: Self.value(length)), (name: "x-last", value: "1")]
        for frame in HTTP2Frame.response(to: stream, fields: fields, body: "ok") { connection.send(frame) }
      } ended: { _ in
      }
    }
    for length in Self.shortLengths {
      for _ in 0..<2 {
        #expect(await outcome(server.url()) == "200 x-long=\(Self.value(length));x-last=1 ok", "\(length)")
      }
    }
    #expect(server.connectionCount == 1)
  }

  @Test("A trailer field may have 4,095 bytes including its line end, and more are an error")
  func trailers() async throws {
    let server = RawServer { connection in
      while let request = connection.readRequest() {
        let length = Int(request.line.split(separator: " ")[1].dropFirst()) ?? 0
        let line = "X-Long: \(String(repeating: "a", count: length - 10))\r\n"
        connection.send(
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\(line)\r\n")
      }
    }
    for length in [100, 4_095, 4_096, 16_384, 120_000] {
      do {
        let whole = try await transport.whole(server.url("/\(length)"))
        #expect(length < 4_096 && whole.trailers["X-Long"]?.utf8.count == length - 10)
      } catch let error as TransportError {
        #expect(length >= 4_096 && error.kind == .invalidResponse)
        #expect(error.message == "a field of the response's trailers is longer than libcurl takes")
      }
    }
  }

  /// Accepted by libcurl over HTTP/2.
  private static let shortLengths = lengths.filter { $0 < 60_000 }
}
#endif
