#if os(Linux)
import Testing

@testable import Errand

@Suite("Curl: HTTP/2 lines in libcurl's trace")
struct CurlHTTP2TraceTests {
  private func event(_ line: String) -> CurlHTTP2Trace? {
    Array(line.utf8).withUnsafeBytes { CurlHTTP2Trace($0) }
  }

  @Test(
    "The lines of libcurl 8.3 to 8.23 are read",
    arguments: [
      ("[HTTP/2] [3] OPENED stream for https://127.0.0.1:1/", CurlHTTP2Trace.opened(3)),
      ("[HTTP/2] [15] <- FRAME[DATA, len=4, eos=1, padlen=0]\n", .ended(15)),
      ("[HTTP/2] [1] <- FRAME[HEADERS, len=1, hend=1, eos=1]\n", .ended(1)),
      ("[HTTP/2] [7] REFUSED_STREAM, try again on a new connection\n", .refused(7)),
      ("HTTP/2 stream 7 refused by server, try again on a new connection", .refused(7)),
      ("[HTTP/2] [7] RESET: REFUSED_STREAM (err 7)\n", .refused(7)),
      ("[HTTP/2] [0] -> FRAME[GOAWAY, error=1, reason='DATA: stream in idle', last_stream=0]\n", .abandoned),
      ("Connection died, retrying a fresh connect (retry count: 1)\n", .left),
      ("Downgrades to HTTP/1.1\n", .downgraded),
    ])
  func lines(line: String, expected: CurlHTTP2Trace) { #expect(event(line) == expected) }

  @Test(
    "Similar lines are ignored",
    arguments: [
      "", "[HTTP/2] [", "[HTTP/2] [3]", "[HTTP/2] [x] OPENED stream for",
      "[HTTP/2] [99999999999] OPENED stream for",
      "[HTTP/2] [4294967296] OPENED stream for", "[HTTP/2] [3] <- FRAME[DATA, len=4, eos=0, padlen=0]",
      "[HTTP/2] [3] -> FRAME[DATA, len=4, eos=1, padlen=0]",
      "[HTTP/2] [3] <- FRAME[RST_STREAM, len=4, error=0] eos=1",
      "[HTTP/2] [3] header: a: <- FRAME[DATA, len=4, eos=1]",
      "[HTTP/2] [3] header: REFUSED_STREAM, try again: 1",
      "< a: [HTTP/2] [3] REFUSED_STREAM, try again", "HTTP/2 stream refused by server",
      "HTTP/2 stream 3 was reset", "[HTTP/2] [3] RESET: CANCEL (err 8)",
      "[HTTP/2] [0] -> FRAME[GOAWAY, error=0, reason='shutdown', last_stream=0]",
      "[HTTP/2] [0] <- FRAME[GOAWAY, error=1, reason='', last_stream=0]",
      "[HTTP/2] [3] -> FRAME[GOAWAY, error=1, reason='', last_stream=0]", "Connection died, tried 5 times",
    ])
  func others(line: String) { #expect(event(line) == nil) }

  @Test(
    "An end counts for its own connection, until its transfer ends or another connection has the same ends"
  )
  func ends() {
    let first = CurlSockets.Ends(peer: "127.0.0.1", peerPort: 443, localPort: 4000)
    let others = [
      CurlSockets.Ends(peer: "127.0.0.1", peerPort: 443, localPort: 4001),
      CurlSockets.Ends(peer: "127.0.0.1", peerPort: 444, localPort: 4000),
      CurlSockets.Ends(peer: "127.0.0.2", peerPort: 443, localPort: 4000),
    ]
    var ended = CurlEndedStreams()
    for stream: UInt32 in [1, 3] { ended.insert(stream, over: first) }
    #expect(
      ended.contains(1, over: first) && ended.contains(3, over: first) && !ended.contains(5, over: first))
    for other in others {
      #expect(!ended.contains(1, over: other))
      ended.removeAll(over: other)
    }
    ended.remove(1, over: first)
    #expect(!ended.contains(1, over: first) && ended.contains(3, over: first))
    ended.removeAll(over: first)
    #expect(!ended.contains(3, over: first))
  }
}
#endif
