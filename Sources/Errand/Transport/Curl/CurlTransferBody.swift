#if os(Linux)
import CCurl
import Foundation

/// The sending of a body: where libcurl is in it.
struct CurlTransferBody {
  private var data = Data()
  private var offset = 0
  private(set) var pump: UploadPump?

  init() {}

  init(_ exchange: CurlExchange) {
    switch exchange.upload {
    case .none, .zeroLength: break
    case .data(let data): self.data = data
    case .stream(let stream, let length):
      pump = UploadPump(
        stream, length: length, isReadable: { exchange.loop.post(.resumeSending(exchange)) },
        didFail: { exchange.end(with: $0) })
    case .trailed(let body):
      pump = UploadPump(
        body.stream, length: nil, isReadable: { exchange.loop.post(.resumeSending(exchange)) },
        didFail: { exchange.end(with: $0) })
    }
  }

  /// Copies the next bytes, straight from the caller's memory into libcurl's.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> UploadPump.Answer {
    if let pump { return pump.read(into: buffer) }
    let count = data.dropFirst(offset).copyBytes(to: buffer)
    offset += count
    return count == 0 ? .end : .bytes(count)
  }

  /// Goes back for a second sending; `false` when the bytes are gone.
  mutating func rewind(to position: Int64) -> Bool {
    if let pump { return position == 0 && pump.isUntouched }
    guard let position = Int(exactly: position), (0...data.count).contains(position) else { return false }
    offset = position
    return true
  }
}
#endif
