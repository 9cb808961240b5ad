#if os(Linux)
import Foundation
import Testing

@testable import Errand

/// Encoded by the reference encoders.
struct CodedSample: Sendable, CustomTestStringConvertible {
  let coding: ContentCoding
  let body: Data
  let text: String

  init(_ coding: ContentCoding, _ base64: String, _ text: String) {
    (self.coding, self.body, self.text) = (coding, CurlCodingTests.bytes(base64), text)
  }

  var testDescription: String { "\(coding): \(text.prefix(20))" }

  static let sentence = String(
    repeating: "the quick brown fox jumps over the lazy dog, and the lazy dog sleeps; ", count: 3)

  static let br = CodedSample(
    .br, "G9EAII2UbuYi0IOlutK1CkW7gHxDC3OMA4drOd8fRBbiYQOOZOkhuHNQhTeUtMy3gI/uD1fmMAjhb8gAAA==", sentence)
  static let zstd = CodedSample(
    .zstd,
    "KLUv/QRo/QEAksMMEZA9BlD6Q+kPpc//X0/T2JkcDzQa0+jLEwcIlust2k2qn+bC0+jseobnD8M5zoiy8ibVAgCJJFAH6phQCywQyw==",
    sentence)
  /// Several frames, with a skippable frame between.
  static let frames = CodedSample(
    .zstd, "KLUv/QRoUQAAaGVsbG8genN0ZM/bYJw=", "hello zstd"
  ).followed(by: Data([0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3])).followed(
    by: CurlCodingTests.bytes("KLUv/QRoOQAALCB0d2ljZXPLBhk="), ", twice")
  static let unchecked = CodedSample(
    .zstd, "KLUv/QBY7QAAqGhlbGxvIHpzdGQsIGFnYWluenN0ZAIAMIn+UJI=", "hello zstd, hello again, hello zstd")

  static let all = [
    br, zstd, frames, unchecked, CodedSample(.br, "CwKAaGVsbG8D", "hello"),
    CodedSample(.br, "Bg==", ""), CodedSample(.zstd, "KLUv/SQAAQAAmenYUQ==", ""),
  ]

  /// 16 MiB of zeros in 27 bytes.
  static let brZeros = CurlCodingTests.bytes("y///P/gnAOKxQCD3/i/////wTwDEYRGA7v0f")
  /// 4 MiB of zeros in 146 bytes.
  static let zstdZeros = CurlCodingTests.bytes(
    "KLUv/QRoTAAACAABAPz/ORACAgAQ" + String(repeating: "AAIAEAACABAAAgAQ", count: 9)
      + "AAIAEAACABAAAwAQACidvHw=")
  /// The start of a frame with a window of 16 MiB.
  static let wide = CurlCodingTests.bytes("KLUv/QRwTAAACAABAPz/ORACAgAQAAIAEAACABAAAgAQAAIAEAACAA==")

  private init(_ coding: ContentCoding, _ body: Data, _ text: String) {
    (self.coding, self.body, self.text) = (coding, body, text)
  }

  func followed(by bytes: Data, _ more: String = "") -> CodedSample {
    CodedSample(coding, body + bytes, text + more)
  }

  /// Returns the decoded bytes, the error, and the sizes of the chunks.
  static func decode(
    _ coding: ContentCoding, _ pieces: some Sequence<Data>
  ) throws -> (data: Data, error: TransportError?, sizes: [Int]) {
    let decoder = try #require(DecoderLibraries.system.decoder(for: coding))
    var (data, sizes) = (Data(), [Int]())
    func drain() throws {
      while let chunk = try decoder.next() {
        data += chunk
        sizes.append(chunk.count)
      }
    }
    do {
      for piece in pieces {
        decoder.add(piece)
        try drain()
      }
      try decoder.finish()
      return (data, nil, sizes)
    } catch let error as TransportError {
      return (data, error, sizes)
    }
  }

  static func outcome(_ coding: ContentCoding, _ body: Data) throws -> Result<String, TransportError> {
    let (data, error, _) = try decode(coding, [body])
    return error.map { .failure($0) } ?? .success(String(decoding: data, as: UTF8.self))
  }
}
#endif
