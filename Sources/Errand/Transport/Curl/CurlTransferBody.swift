#if os(Linux)
import CCurl
import Foundation

struct CurlTransferBody {
  private var data = Data()
  private var offset = 0
  private(set) var pump: UploadPump?
  private var length: Int64?
  /// The length of the body in bytes, even for a body with trailers; `nil` if unknown.
  private var total: Int64?
  private var trailed: TransportRequest.TrailedBody?
  private var countsSent = false
  private var givenBytes: Int64 = 0
  /// True after libcurl has asked for the trailers; the request then cannot be repeated.
  private(set) var hasGivenTrailers = false
  /// True if libcurl's last attempt to rewind the body failed.
  var isLost = false
  private(set) var isAbandoned = false
  /// True if the connection was known to be closed when the body was abandoned.
  private(set) var isCut = false
  private var seenReadCount = 0

  init() {}

  init(_ exchange: CurlExchange) {
    (length, total) = (exchange.upload.length, exchange.upload.total)
    switch exchange.upload {
    case .none, .zeroLength: break
    case .data(let data): self.data = data
    case .stream(let stream, let length):
      pump = UploadPump(
        stream, length: length, isReadable: { exchange.loop.post(.resumeSending(exchange)) },
        didFail: { exchange.end(with: $0) })
    case .trailed(let body):
      trailed = body
      pump = UploadPump(
        body.stream, length: nil, isReadable: { exchange.loop.post(.resumeSending(exchange)) },
        didFail: { exchange.end(with: $0) })
    }
  }

  mutating func configure(_ handle: CurlHandle, counts: Bool) {
    handle.set(CCURLOPT_UPLOAD, to: true)
    handle.set(CCURLOPT_INFILESIZE_LARGE, offset: length ?? -1)
    if trailed != nil { CurlTrailers.configure(handle) }
    // Without a length, libcurl's count may include the framing.
    if counts, let length, length > 65_536 {
      countsSent = true
      handle.set(CCURLOPT_NOPROGRESS, to: false)
    }
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> UploadPump.Answer {
    if let pump { return pump.read(into: buffer) }
    let count = data.dropFirst(offset).copyBytes(to: buffer)
    offset += count
    return count == 0 ? .end : .bytes(count)
  }

  var isReplayable: Bool { !hasGivenTrailers && pump?.isUntouched ?? true }

  mutating func rewind(to position: Int64) -> Bool {
    if pump != nil { return position == 0 && isReplayable }
    guard let position = Int(exactly: position), (0...data.count).contains(position) else { return false }
    offset = position
    return true
  }

  mutating func abandon(isCut: Bool) { (isAbandoned, self.isCut) = (true, isCut) }

  mutating func giveTrailers(_ list: CurlTrailers.List) -> TransportError? {
    hasGivenTrailers = true
    return CurlTrailers.append(trailed?.trailers, to: list)
  }

  // MARK: Progress

  func reportShort(to counter: TransportRequest.Counter) {
    if !countsSent, let length, length > 0 { counter.sent(length, of: length) }
  }

  func reportSent(_ bytes: Int64, to counter: TransportRequest.Counter?) {
    if countsSent, bytes > 0 { counter?.sent(bytes, of: length) }
  }

  mutating func reportGiven(_ count: Int, to counter: TransportRequest.Counter) {
    guard length == nil else { return }
    givenBytes += Int64(count)
    counter.sent(givenBytes, of: total)
  }

  mutating func watchReads() { seenReadCount = pump?.readCount ?? 0 }

  /// Returns true if the stream was read since the last check, or was never read.
  mutating func wasAsked() -> Bool {
    guard let readCount = pump?.readCount, readCount != seenReadCount || readCount == 0 else { return false }
    seenReadCount = readCount
    return true
  }
}
#endif
