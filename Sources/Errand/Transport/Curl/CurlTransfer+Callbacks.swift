#if os(Linux)
import CCurl
import Foundation

// What the callbacks do. A count other than the one given makes libcurl end the transfer.
extension CurlTransfer {
  func takeLine(_ line: UnsafeRawBufferPointer) -> Int {
    noteReceived(line.count)
    do {
      guard try parser.take(line) else { return line.count }
    } catch {
      failure = error
      return 0
    }
    let head = HTTPResponse(
      status: parser.status, headers: parser.headers, url: exchange.request.request.url)
    report { $0.head = head }
    return endsWithHead ? 0 : line.count
  }

  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    noteProgress()
    if isSuspended || pausesReceiving() { return Int(CURL_WRITEFUNC_PAUSE) }
    noteReceived(bytes.count)
    receivedBytes += Int64(bytes.count)
    report { $0.append(bytes) }
    return bytes.count
  }

  func giveBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    noteProgress()
    if isSuspended { return Int(CURL_READFUNC_PAUSE) }
    noteGiven()
    switch body.read(into: buffer) {
    case .bytes(let count): return count
    case .end: return 0
    case .notYet:
      pauseSending()
      return Int(CURL_READFUNC_PAUSE)
    }
  }

  func rewind(to offset: Int64, origin: Int32) -> Int32 {
    origin == SEEK_SET && body.rewind(to: offset) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
  }
}
#endif
