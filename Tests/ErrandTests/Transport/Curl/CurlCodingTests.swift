#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: content codings")
struct CurlCodingTests {
  let transport = CurlTransport()
  static var gzip: Data { bytes("H4sIAAAAAAACA8tIzcnJV0ivyiwAABlq0t8KAAAA") }
  static var secondGzip: Data { bytes("H4sIAAAAAAACA9NRKCnPTE4FAJYKaVwHAAAA") }
  static var zlib: Data { bytes("eJzLSM3JyVdISU3LSSxJBQAjDAUK") }
  static var raw: Data { bytes("y0jNyclXKEosV0hJTctJLEkFAA==") }
  static var gzipInZlib: Data { bytes("eJyT7+ZgAAEm5tMeZ0+eDPdYf0qHgUEy69J9LqAoAHy2CKw=") }
  /// 256 KiB of zeros, in gzip.
  static var zeros: Data {
    bytes(
      "H4sIAAAAAAACA+3BMQEAAADCoPVP7W0Ho" + String(repeating: "A", count: 339) + "3gAi6g7iAAAEAA==")
  }

  static func bytes(_ base64: String) -> Data { Data(base64Encoded: base64) ?? Data() }

  /// Sent byte by byte; returns the text or the error.
  private func receive(_ body: Data, coding: String) async -> Result<String, TransportError> {
    let server = RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send(
        "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\nContent-Encoding: \(coding)\r\n\r\n")
      for byte in body { connection.send(Data([byte])) }
    }
    do {
      return .success(try await transport.whole(server.url()).text)
    } catch {
      return .failure(error as? TransportError ?? TransportError(.transport, "\(error)"))
    }
  }

  @Test(
    "known codings are decoded",
    arguments: [
      ("gzip", gzip, "hello gzip"), ("X-GZip", gzip, "hello gzip"),
      ("gzip", gzip + secondGzip, "hello gzip, twice"), ("gzip", gzip + Data(count: 9), "hello gzip"),
      ("deflate", zlib, "hello deflate"), ("deflate", raw, "hello raw deflate"),
      ("gzip, deflate", gzipInZlib, "hello gzip"), ("identity", Data("as it is".utf8), "as it is"),
      ("gzip", Data(), ""), ("deflate", Data(), ""), ("BR", CodedSample.br.body, CodedSample.sentence),
      ("zstd", CodedSample.frames.body, "hello zstd, twice"),
      ("zstd, br", bytes("CwuAKLUv/QRoUQAAaGVsbG8genN0ZM/bYJwD"), "hello zstd"),
      ("rot13", Data("nf vg vf".utf8), "nf vg vf"),
    ])
  func decoded(_ coding: String, _ body: Data, _ text: String) async {
    #expect(await receive(body, coding: coding) == .success(text))
  }

  @Test("a coding truncated anywhere is an error")
  func truncated() {
    let gzipError = TransportError(.corruptBody, "the gzip body ended early")
    for count in 1..<Self.gzip.count {
      #expect(throws: gzipError) { try Self.inflate(Self.gzip.prefix(count), .gzip) }
    }
    for (body, coding) in [(Self.zlib, ContentCoding.deflate), (Self.raw, .deflate)] {
      for count in 1..<body.count {
        #expect(throws: TransportError(.corruptBody, "the deflate body ended early")) {
          try Self.inflate(body.prefix(count), coding)
        }
      }
    }
  }

  @Test("a coding truncated in transit is an error, even with the right length")
  func truncatedOnTheWire() async {
    #expect(
      await receive(Self.gzip.dropLast(3), coding: "gzip")
        == .failure(TransportError(.corruptBody, "the gzip body ended early")))
  }

  @Test("a corrupt coding is an error", arguments: ["gzip", "deflate"])
  func corrupt(_ coding: String) async {
    var body = coding == "gzip" ? Self.gzip : Self.zlib
    body[14] ^= 0x55
    #expect(
      await receive(body, coding: coding)
        == .failure(TransportError(.corruptBody, "the \(coding) body is corrupt")))
    let behind = (coding == "gzip" ? Self.gzip : Self.zlib) + Data("junk".utf8)
    #expect(
      await receive(behind, coding: coding)
        == .failure(TransportError(.corruptBody, "the \(coding) body is corrupt")))
  }

  @Test("a bomb is decoded in bounded pieces")
  func bomb() throws {
    let inflater = Inflater(.gzip, by: try #require(ZlibLibrary()))
    for _ in 0..<16 { inflater.add(Self.zeros) }
    var sizes: [Int] = []
    while let chunk = try inflater.next() { sizes.append(chunk.count) }
    try inflater.finish()
    #expect(sizes.reduce(0, +) == 4 << 20)
    #expect(sizes.max() == Inflater.pieceSize)
  }

  /// 40 MB of empty blocks, compressed twice more.
  static var nothing: Data {
    bytes(
      "H4sIAAAAAAACA+3bvS5kYRzH8WNW4kyyxEuhQJaQ1U4lRCO2WNmCXrNLtlskiqUkCBGJzA3gCmRtgmxnZEZ27mAmJBKiUNDoxMuRM417ePL55lM89"
        + "a/95/m0FUdpmQ93pdNslIujvyt7c1eFpv3rzqF/P18Wzy4bI0mSJEmSJEmSFFKFg7aN+vQx8nqysPbj4ngWAAAAAAAIy1R/UzY9Biw/L93Hpw"
        + "YBAAAAAIDgFMc7W2t/BB6T85YVgwAAAAAAQHDWdwb7aseAh+Sot94gAAAAAAAQnMbh+bHaMeAm+fU1NggAAAAAAASnY+E6XzsGlJPKdvOMQQAAA"
        + "AAAIDQDd6WeuvQYkE/+dPVUDQIAAAAAAMGpbn7JpMeA7uT78OiBQQAAAAAAIDiHHf8/R1HuY/E2mWj4thuXV3ORJEmSpPcKg5WnzP7u0+/2yenM"
        + "GwbeNOvK4wAA")
  }

  @Test("Growth between two codings counts as a bomb, even if the result is empty")
  func bombWithin() async {
    #expect(
      await receive(Self.nothing, coding: "gzip, gzip, gzip")
        == .failure(
          TransportError(
            .limitExceeded, "decoding expands the body more than limits.decodedRatio, 200 times")))
  }

  @Test("A cancellation ends the decoding of received bytes")
  func cancelled() async throws {
    let server = RawServer.answering(
      Data("HTTP/1.1 200 OK\r\nContent-Length: \(Self.zeros.count)\r\nContent-Encoding: gzip\r\n\r\n".utf8)
        + Self.zeros)
    let signal = CancellationSignal()
    let request = TransportRequest(HTTPRequest(url: server.url()), cancellation: signal)
    let body = try await transport.send(request).body.makeAsyncIterator()
    var chunks = body
    #expect(try await chunks.next()?.isEmpty == false)
    signal.cancel()
    await #expect(throws: TransportError.cancelled) { try await chunks.next() }
  }

  @Test("an excessive number of codings is refused")
  func tooMany() async {
    #expect(
      await receive(Self.gzip, coding: "gzip,gzip,gzip,gzip,gzip")
        == .failure(TransportError(.invalidResponse, "the response has more than 4 content codings")))
  }

  private static func inflate(_ body: Data, _ coding: ContentCoding) throws {
    let inflater = Inflater(coding, by: try #require(ZlibLibrary()))
    inflater.add(body)
    while try inflater.next() != nil {}
    try inflater.finish()
  }
}
#endif
