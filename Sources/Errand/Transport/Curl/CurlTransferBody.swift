#if os(Linux)
import CCurl
import Foundation

/// The body of a request while libcurl sends the body: the position of libcurl, and the progress reports.
struct CurlTransferBody {
  private var data = Data()
  private var offset = 0
  private(set) var pump: UploadPump?
  /// The length that the head announces; `nil` for chunks.
  private var length: Int64?
  /// The number of bytes to report as the whole; `nil` if unknown.
  private var total: Int64?
  private var trailed: TransportRequest.TrailedBody?
  /// True if libcurl reports how much of the body was sent.
  private var countsSent = false
  /// The number of bytes of a body without a length that libcurl has read.
  private var givenBytes: Int64 = 0
  /// True after libcurl was given the trailers, which is possible only once.
  private(set) var hasGivenTrailers = false
  /// True if the upload was ended inside the body, because the server has responded or has closed the
  /// connection.
  private(set) var isGivenUp = false
  /// True if the connection was closed when the body was given up.
  private(set) var isCut = false
  /// The number of requests for bytes to the stream, as of the last call of `watchReads()` or `wasAsked()`.
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

  /// Sets the options of a transfer with a body.
  ///
  /// - Parameter counts: true if the caller follows the progress.
  mutating func configure(_ handle: CurlHandle, counts: Bool) {
    handle.set(CCURLOPT_UPLOAD, to: true)
    handle.set(CCURLOPT_INFILESIZE_LARGE, offset: length ?? -1)
    if trailed != nil { CurlTrailers.configure(handle) }
    // A body of at most 64 KiB is reported as sent when the response head arrives, because libcurl's reports
    // would cost many calls, and a reset of the handle afterwards. For a body without a length, libcurl's
    // count would include the framing.
    if counts, let length, length > 65_536 {
      countsSent = true
      handle.set(CCURLOPT_NOPROGRESS, to: false)
    }
  }

  /// Copies the next bytes, directly from the caller's memory into libcurl's.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> UploadPump.Answer {
    if let pump { return pump.read(into: buffer) }
    let count = data.dropFirst(offset).copyBytes(to: buffer)
    offset += count
    return count == 0 ? .end : .bytes(count)
  }

  /// Returns to a position for a further transmission; false if the bytes are no longer available.
  mutating func rewind(to position: Int64) -> Bool {
    if let pump { return position == 0 && pump.isUntouched }
    guard let position = Int(exactly: position), (0...data.count).contains(position) else { return false }
    offset = position
    return true
  }

  /// Ends the upload inside the body.
  mutating func giveUp(isCut: Bool) { (isGivenUp, self.isCut) = (true, isCut) }

  /// Fills libcurl's list with the trailers, known at the end of the body; returns the reason for a
  /// refusal, or `nil`.
  mutating func giveTrailers(_ list: CurlTrailers.List) -> TransportError? {
    hasGivenTrailers = true
    return CurlTrailers.append(trailed?.trailers, to: list)
  }

  // MARK: Progress

  /// Reports a short body as sent, when the head of the response has come.
  func reportShort(to counter: TransportRequest.Counter) {
    if !countsSent, let length, length > 0 { counter.sent(length, of: length) }
  }

  /// Reports the number of bytes sent from a long body.
  func reportSent(_ bytes: Int64, to counter: TransportRequest.Counter?) {
    if countsSent, bytes > 0 { counter?.sent(bytes, of: length) }
  }

  /// Reports bytes read by libcurl from a body without a length.
  mutating func reportGiven(_ count: Int, to counter: TransportRequest.Counter) {
    guard length == nil else { return }
    givenBytes += Int64(count)
    counter.sent(givenBytes, of: total)
  }

  /// Starts to count the requests for bytes to the stream.
  mutating func watchReads() { seenReadCount = pump?.readCount ?? 0 }

  /// Returns true if the stream was asked for bytes since the last call, or was never asked because the
  /// process is busy.
  mutating func wasAsked() -> Bool {
    guard let readCount = pump?.readCount, readCount != seenReadCount || readCount == 0 else { return false }
    seenReadCount = readCount
    return true
  }
}
#endif
