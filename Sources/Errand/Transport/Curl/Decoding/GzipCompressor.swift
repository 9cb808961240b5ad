#if os(Linux)
import CCurl
import Foundation

struct GzipCompressor {
  private static let pieceSize = 65_536
  private static let zlib = ZlibLibrary()

  private final class Stream {
    let zlib: ZlibLibrary
    let state = UnsafeMutablePointer<ccurl_z_stream>.allocate(capacity: 1)

    init(_ zlib: ZlibLibrary) throws {
      self.zlib = zlib
      state.initialize(to: ccurl_z_stream())
      let code = zlib.startGzip(state)
      guard code == CCURL_Z_OK else {
        state.deallocate()
        throw Refusal("zlib could not be started: \(code)", kind: .encoding)
      }
    }

    deinit {
      zlib.endGzip(state)
      state.deallocate()
    }
  }

  private let stream: Stream

  init() throws {
    guard let zlib = Self.zlib else {
      throw Refusal("compressing a body needs zlib, but libz.so.1 cannot be loaded", kind: .unsupported)
    }
    stream = try Stream(zlib)
  }

  /// Returns compressed bytes; empty while zlib waits for more input.
  mutating func compress(_ bytes: Data) throws -> Data { try run(bytes, isLast: false) }

  mutating func finish() throws -> Data { try run(Data(), isLast: true) }

  private func run(_ bytes: Data, isLast: Bool) throws -> Data {
    var output = Data()
    try bytes.withUnsafeBytes { buffer in
      let state = stream.state
      state.pointee.next_in = buffer.bindMemory(to: UInt8.self).baseAddress
      state.pointee.avail_in = UInt32(buffer.count)
      try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.pieceSize) { piece in
        repeat {
          state.pointee.next_out = piece.baseAddress
          state.pointee.avail_out = UInt32(Self.pieceSize)
          let code = stream.zlib.deflate(state, isLast: isLast)
          guard code == CCURL_Z_OK || code == CCURL_Z_STREAM_END || code == CCURL_Z_BUF_ERROR else {
            throw TransportError(.encoding, "the body could not be compressed", code: Int(code))
          }
          let count = Self.pieceSize - Int(state.pointee.avail_out)
          output.append(UnsafeBufferPointer(rebasing: piece[..<count]))
        } while state.pointee.avail_out == 0
      }
      (state.pointee.next_in, state.pointee.avail_in) = (nil, 0)
    }
    return output
  }
}
#else
import Foundation

/// A placeholder, because compression is available only on Linux.
struct GzipCompressor {
  init() throws {
    throw Refusal("compressing a body is supported only on Linux", kind: .unsupported)
  }

  mutating func compress(_ bytes: Data) throws -> Data { bytes }
  mutating func finish() throws -> Data { Data() }
}
#endif
