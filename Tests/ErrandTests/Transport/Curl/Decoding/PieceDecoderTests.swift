#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite(
  "Curl: br and zstd", .timeLimit(.minutes(5)),
  .enabled(
    if: DecoderLibraries.system.codings.count == 4,
    "install libbrotlidec.so.1 and libzstd.so.1 to run these"))
struct PieceDecoderTests {
  typealias Sample = CodedSample

  @Test("a body is decoded, at once and byte by byte", arguments: Sample.all)
  func decoded(_ sample: CodedSample) throws {
    #expect(try Sample.outcome(sample.coding, sample.body) == .success(sample.text))
    let (data, error, _) = try Sample.decode(sample.coding, sample.body.map { Data([$0]) })
    #expect(error == nil)
    #expect(String(decoding: data, as: UTF8.self) == sample.text)
  }

  @Test("an empty input is an empty body", arguments: [ContentCoding.br, .zstd])
  func empty(_ coding: ContentCoding) throws {
    #expect(try Sample.outcome(coding, Data()) == .success(""))
  }

  @Test("a body truncated anywhere is an error", arguments: [Sample.br, .zstd, .unchecked])
  func truncated(_ sample: CodedSample) throws {
    let expected = TransportError(.corruptBody, "the \(sample.coding) body ended early")
    for count in 1..<sample.body.count {
      let (data, error, _) = try Sample.decode(sample.coding, [sample.body.prefix(count)])
      #expect(error == expected, "after \(count) bytes")
      #expect(sample.text.utf8.starts(with: data), "after \(count) bytes")
    }
  }

  @Test("zstd frames truncated inside a frame are an error")
  func truncatedFrames() throws {
    let body = Sample.frames.body
    let whole = try (1...body.count).filter {
      if case .success = try Sample.outcome(.zstd, body.prefix($0)) { return true }
      return false
    }
    #expect(whole == [23, 34, body.count])
  }

  @Test("bytes after the end are corrupt", arguments: [Sample.br, .zstd])
  func trailing(_ sample: CodedSample) throws {
    let expected = TransportError(.corruptBody, "the \(sample.coding) body is corrupt")
    for junk in [Data("junk".utf8), Data(count: 9), sample.coding == .br ? sample.body : Sample.br.body] {
      let (data, error, _) = try Sample.decode(sample.coding, [sample.body + junk])
      #expect(error == expected)
      #expect(String(decoding: data, as: UTF8.self) == sample.text)
    }
  }

  @Test("other bytes are corrupt", arguments: [ContentCoding.br, .zstd])
  func somethingElse(_ coding: ContentCoding) throws {
    let expected = TransportError(.corruptBody, "the \(coding) body is corrupt")
    #expect(try Sample.outcome(coding, Data("<html>no coding at all</html>".utf8)) == .failure(expected))
    #expect(try Sample.outcome(coding, CurlCodingTests.gzip) == .failure(expected))
  }

  @Test("a single wrong bit is an error or another text, and an error with a checksum")
  func flippedBits() throws {
    for (sample, hasChecksum) in [
      (Sample.br, false), (.zstd, true), (.frames, true), (.unchecked, false),
    ] {
      for place in 0..<(sample.body.count * 8) {
        var body = sample.body
        body[place / 8] ^= 1 << (place % 8)
        switch try Sample.outcome(sample.coding, body) {
        case .failure(let error): #expect(error.kind == .corruptBody)
        case .success(let text): #expect(sample.text == text || !hasChecksum, "bit \(place)")
        }
      }
    }
  }

  @Test("a bomb is decoded in bounded pieces")
  func bomb() throws {
    let zstd = try Sample.decode(.zstd, Array(repeating: Sample.zstdZeros, count: 4))
    let br = try Sample.decode(.br, [Sample.brZeros])
    for (data, error, sizes) in [br, zstd] {
      #expect(error == nil)
      #expect(data.count == 16 << 20)
      #expect(data.allSatisfy { $0 == 0 })
      #expect(sizes.max() == PieceDecoder<BrotliCodec>.pieceSize)
    }
  }

  @Test("a bomb is stopped by its ratio")
  func ratio() async {
    let expected = TransportError(
      .limitExceeded, "decoding expands the body more than limits.decodedRatio, 200 times")
    for (coding, body) in [
      ("br", Sample.brZeros), ("zstd", Data(Array(repeating: Sample.zstdZeros, count: 4).joined())),
    ] {
      let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\nContent-Encoding: \(coding)\r\n\r\n"
      let server = RawServer.answering(Data(head.utf8) + body)
      #expect(await CurlTransport().failure(server.url()) == expected)
    }
  }

  @Test("a window over the 8 MiB of RFC 9659 is refused before allocating memory")
  func window() throws {
    let expected = TransportError(
      .corruptBody, "the zstd body needs a window of more than 8 MiB (RFC 9659)")
    #expect(try Sample.outcome(.zstd, Sample.wide) == .failure(expected))
    #expect(try Sample.outcome(.zstd, Sample.wide.prefix(6)) == .failure(expected))
  }
}
#endif
