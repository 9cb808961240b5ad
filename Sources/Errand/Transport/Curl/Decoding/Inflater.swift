#if os(Linux)
import CCurl
import Foundation

final class Inflater: BodyDecoder {
  private enum Phase { case untouched, inside, ended, broken }

  private let zlib: ZlibLibrary
  private let coding: ContentCoding
  private let stream = UnsafeMutablePointer<ccurl_z_stream>.allocate(capacity: 1)
  private var input = Data()
  private var phase = Phase.untouched
  private var isInitialized = false
  private var hasMore = false

  init(_ coding: ContentCoding, by zlib: ZlibLibrary) {
    self.zlib = zlib
    self.coding = coding
    stream.initialize(to: ccurl_z_stream())
  }

  deinit {
    if isInitialized { zlib.end(stream) }
    stream.deallocate()
  }

  func add(_ bytes: Data) {
    if input.isEmpty { input = bytes } else { input.append(bytes) }
  }

  func next() throws -> Data? {
    if phase == .broken { throw TransportError.corrupt(coding) }
    while !input.isEmpty || hasMore {
      if phase != .inside {
        guard try begin() else { return nil }
      }
      let output = try inflatePiece()
      if !output.isEmpty { return output }
    }
    return nil
  }

  func finish() throws {
    guard phase != .ended, phase != .untouched || !input.isEmpty else { return }
    throw TransportError.endedEarly(coding)
  }

  private func begin() throws -> Bool {
    guard let bits = try coding == .gzip ? gzipBits() : deflateBits() else { return false }
    let code = isInitialized ? zlib.restart(stream) : zlib.start(stream, bits: bits)
    guard code == CCURL_Z_OK else {
      throw TransportError(.transport, "zlib could not be started", code: Int(code))
    }
    isInitialized = true
    phase = .inside
    return true
  }

  /// Returns zlib's window bits; `nil` if no further member has begun (RFC 1952 section 2.2).
  private func gzipBits() throws -> Int32? {
    if phase == .ended {
      input = input.drop { $0 == 0 }
      guard let first = input.first else { return nil }
      guard first == 0x1F else { throw TransportError.corrupt(coding) }
    }
    return 16 + CCURL_MAX_WBITS
  }

  /// Returns zlib's window bits; `nil` until two bytes have arrived.
  ///
  /// Some servers send raw deflate without the zlib header (RFC 1950).
  private func deflateBits() throws -> Int32? {
    guard phase == .untouched else { throw TransportError.corrupt(coding) }
    let head = input.prefix(2).map { Int($0) }
    guard head.count == 2 else { return nil }
    let isWrapped = head[0] & 0x8F == 0x08 && (head[0] << 8 | head[1]) % 31 == 0
    return isWrapped ? CCURL_MAX_WBITS : -CCURL_MAX_WBITS
  }

  private func inflatePiece() throws -> Data {
    let block = Block()
    stream.pointee.next_out = block.bytes.bindMemory(to: UInt8.self, capacity: Self.pieceSize)
    stream.pointee.avail_out = UInt32(Self.pieceSize)
    // zlib's `avail_in` has 32 bits.
    let slice = input.prefix(1 << 30)
    let code = slice.withUnsafeBytes { bytes in
      stream.pointee.next_in = bytes.bindMemory(to: UInt8.self).baseAddress
      stream.pointee.avail_in = UInt32(bytes.count)
      defer { stream.pointee.next_in = nil }
      return zlib.inflate(stream)
    }
    input = input.dropFirst(slice.count - Int(stream.pointee.avail_in))
    hasMore = code == CCURL_Z_OK && stream.pointee.avail_out == 0
    block.wrote(Self.pieceSize - Int(stream.pointee.avail_out))
    let output = block.data
    switch code {
    case CCURL_Z_OK, CCURL_Z_BUF_ERROR: break
    case CCURL_Z_STREAM_END: phase = .ended
    default:
      phase = .broken
      if output.isEmpty { throw TransportError.corrupt(coding) }
    }
    return output
  }
}
#endif
