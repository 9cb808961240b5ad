#if os(Linux)
import CCurl
import Foundation

/// The sending of a request's body: libcurl's position in the body, and what the caller is told of the position.
struct CurlTransferBody {
  private var data = Data()
  private var offset = 0
  private(set) var pump: UploadPump?
  /// The length that the head announces; `nil` for chunks.
  private var length: Int64?
  /// The number of bytes to report as the whole; `nil` if unknown.
  private var total: Int64?
  private var trailed: TransportRequest.TrailedBody?
  /// True if libcurl reports how much of the body has left.
  private var countsSent = false
  /// How much of a body without a length libcurl was given, in bytes.
  private var givenBytes: Int64 = 0
  /// True after libcurl was given the trailers, which is possible only once.
  private(set) var hasGivenTrailers = false
  /// True if the sending was ended inside the body, because the server has answered, or closed the connection.
  private(set) var isGivenUp = false
  /// True if the connection was closed when the body was given up.
  private(set) var isCut = false
  /// How often the stream had been asked for bytes at the last look.
  private var seenAskings = 0

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
    // A short body leaves at once; libcurl calls often, and the handle has to forget the option afterwards. For a body without a
    // length libcurl counts the framing too.
    if counts, let length, length > 65_536 {
      countsSent = true
      handle.set(CCURLOPT_NOPROGRESS, to: false)
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

  /// Ends the sending inside the body.
  mutating func giveUp(isCut: Bool) { (isGivenUp, self.isCut) = (true, isCut) }

  /// Fills libcurl's list with the trailers, which are known by the end of the body; the refusal, or `nil`.
  mutating func giveTrailers(_ list: CurlTrailers.List) -> TransportError? {
    hasGivenTrailers = true
    return CurlTrailers.append(trailed?.trailers, to: list)
  }

  // MARK: Progress

  /// Reports a short body as sent, when the head of the response has come.
  func reportShort(to counter: TransportRequest.Counter) {
    if !countsSent, let length, length > 0 { counter.sent(length, of: length) }
  }

  /// Reports how much of a long body has left, in bytes.
  func reportSent(_ bytes: Int64, to counter: TransportRequest.Counter?) {
    if countsSent, bytes > 0 { counter?.sent(bytes, of: length) }
  }

  /// Reports bytes of a body without a length that libcurl was given.
  mutating func reportGiven(_ count: Int, to counter: TransportRequest.Counter) {
    guard length == nil else { return }
    givenBytes += Int64(count)
    counter.sent(givenBytes, of: total)
  }

  /// Starts to count how often the stream is asked.
  mutating func watchAskings() { seenAskings = pump?.askings ?? 0 }

  /// Returns true if the stream was asked for bytes since the last look, or was never asked: a busy process may take its time to ask.
  mutating func wasAsked() -> Bool {
    guard let askings = pump?.askings, askings != seenAskings || askings == 0 else { return false }
    seenAskings = askings
    return true
  }
}
#endif
