#if canImport(Darwin)
import Foundation

extension BodyStream {
  /// Returns the decoded body.
  ///
  /// Only the content coding `gzip` is decoded. A gzip header with flags (RFC 1952 section 2.3.1) is an
  /// error.
  package func decoded(_ headers: HTTPHeaders, for request: TransportRequest) throws -> BodyStream {
    guard headers.values(for: "Content-Encoding") == ["gzip"] else { return self }
    return BodyStream(DecodedSource(self))
  }
}

private final class DecodedSource: BodySource, @unchecked Sendable {
  private let coded: BodyStream
  // Guarded by the contract of `BodySource`: calls of `next` never overlap.
  private var isAtEnd = false

  init(_ coded: BodyStream) { self.coded = coded }

  func next() async throws -> Data? {
    if isAtEnd { return nil }
    isAtEnd = true
    var bytes = Data()
    for try await chunk in coded { bytes.append(chunk) }
    if bytes.isEmpty { return nil }
    let (head, trailer) = (10, 8)
    guard bytes.count > head + trailer, bytes.starts(with: [0x1F, 0x8B, 8, 0]) else { throw Self.corrupt }
    let deflated = bytes.dropFirst(head).dropLast(trailer)
    guard let text = try? (Data(deflated) as NSData).decompressed(using: .zlib) as Data,
      bytes.suffix(4).elementsEqual((0..<4).map { UInt8(truncatingIfNeeded: text.count >> ($0 * 8)) })
    else { throw Self.corrupt }
    return text.isEmpty ? nil : text
  }

  func cancel() { coded.cancel() }

  var summary: TransportSummary { coded.summary }

  private static let corrupt = TransportError(.corruptBody, "the gzip body is corrupt")
}
#endif
