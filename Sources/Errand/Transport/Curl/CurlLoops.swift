#if os(Linux)
import Foundation

/// The event loops of a transport: requests to one scheme, host and port stay on one of them, so that they share its
/// connections.
struct CurlLoops: Sendable {
  private let leases: [CurlLoopLease]

  init(_ loops: [CurlLoop]) { leases = loops.map(CurlLoopLease.init) }

  /// One for every two processors, four at most.
  static let standardCount = min(max(ProcessInfo.processInfo.activeProcessorCount / 2, 1), 4)

  subscript(url: URL) -> CurlLoopLease {
    leases[leases.count == 1 ? 0 : Int(Self.number(of: url) % UInt64(leases.count))]
  }

  /// A number that is the same for all URLs of an origin, and spread over the origins: FNV-1a of its characters.
  static func number(of url: URL) -> UInt64 {
    var text = url.absoluteString
    return text.withUTF8 { bytes in
      var number: UInt64 = 0xCBF2_9CE4_8422_2325
      for byte in origin(in: bytes) { number = (number ^ UInt64(ASCII.lowercased(byte))) &* 0x100_0000_01B3 }
      return number
    }
  }

  /// Scheme and authority, without the port that the scheme has anyway.
  private static func origin(in bytes: UnsafeBufferPointer<UInt8>) -> Slice<UnsafeBufferPointer<UInt8>> {
    let scheme = bytes.prefix { $0 != 0x3A }
    let authority = bytes.dropFirst(scheme.count + 3).prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
    let origin = bytes[..<authority.endIndex]
    let port = scheme.count == "http".utf8.count ? ":80" : ":443"
    return origin.suffix(port.utf8.count).elementsEqual(port.utf8) ? origin.dropLast(port.utf8.count) : origin
  }
}
#endif
