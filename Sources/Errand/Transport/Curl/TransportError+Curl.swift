#if os(Linux)
import CCurl
import Foundation

extension TransportError {
  init(_ code: CCURLcode, peer: String, handle: CurlHandle, proxy: Proxy? = nil) {
    let detail = handle.errorText
    let told =
      CurlErrorText(detail, peer: peer).meaning(of: code, usesProxies: proxy != nil)
      ?? Self.shortage(of: code)
    let entry = told?.entry ?? Self.refinement(of: code, handle) ?? CurlErrorTable.entry(for: code)
    var message = entry.clause.replacing("{peer}", with: peer)
    if entry.kind == .secureConnectionFailed, !detail.isEmpty { message += " (\(detail))" }
    self.init(entry.kind, message, code: Int(code.rawValue))
    advice = told?.advice ?? (proxy == nil ? Self.schemeAdvice(for: code, peer: peer, handle) : nil)
  }

  private static func schemeAdvice(for code: CCURLcode, peer: String, _ handle: CurlHandle) -> Advice? {
    guard !handle.isSecure, handle.remoteAddress != nil else { return nil }
    switch code {
    case CCURLE_WEIRD_SERVER_REPLY where !handle.errorText.contains("Content-Length"),
      CCURLE_UNSUPPORTED_PROTOCOL:
      return .securePort
    case CCURLE_GOT_NOTHING, CCURLE_RECV_ERROR:
      return peer.hasSuffix(":443") || peer.hasSuffix(":8443") ? .securePort : nil
    default: return nil
    }
  }

  /// Returns an error if the request probably exceeds libcurl's limits: 1 MiB for heads and 8 MB for URLs.
  static func excess(of request: HTTPRequest, _ code: CCURLcode) -> TransportError? {
    let codes = [CCURLE_OUT_OF_MEMORY, CCURLE_TOO_LARGE, CCURLE_BAD_FUNCTION_ARGUMENT]
    guard codes.contains(code) else { return nil }
    let url = request.url.absoluteString.utf8.count
    let fields = request.headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    guard url + fields > 900_000 else { return nil }
    return url > fields
      ? TransportError(
        .invalidURL, "the URL is longer than libcurl sends, \(url) bytes", code: Int(code.rawValue))
      : TransportError(
        .invalidRequest, "the header fields of the request are longer than libcurl sends, \(fields) bytes",
        code: Int(code.rawValue))
  }

  // MARK: Failures that libcurl reports as success, or by an unsuitable code

  static let cutHead = TransportError(
    .connectionLost, "the connection was closed inside the head of the response")
  static let closedBeforeAnswer = TransportError(
    .connectionLost, "the connection was closed before the whole body was sent, without an answer")

  static func cutBody(after received: Int64, of promised: Int64?, code: CCURLcode?) -> TransportError {
    let code = code.map { Int($0.rawValue) }
    guard let promised else {
      return TransportError(
        .connectionLost, "the connection was closed inside the body, after \(received) bytes", code: code)
    }
    return TransportError(
      .connectionLost, "the connection was closed after \(received) of the \(promised) bytes of the body",
      code: code)
  }

  static func overlongLine(_ code: CCURLcode) -> TransportError {
    TransportError(
      .invalidResponse, "a line of the head of the response is longer than libcurl takes",
      code: Int(code.rawValue))
  }

  static func missingGoodbye(of peer: String) -> TransportError {
    TransportError(
      .connectionLost,
      "the connection to \(peer) was closed without a TLS close_notify, so the body without a length"
        + " may be incomplete")
  }

  private static func shortage(of code: CCURLcode) -> CurlErrorText.Meaning? {
    // libcurl may report a lack of file descriptors as a failed connection or lookup.
    guard code == CCURLE_COULDNT_CONNECT || code == CCURLE_COULDNT_RESOLVE_HOST, isOutOfDescriptors else {
      return nil
    }
    return (
      (
        .connectionFailed,
        "no connection to {peer} could be made: the process has no file descriptors left"
      ),
      .fileDescriptors
    )
  }

  private static func refinement(of code: CCURLcode, _ handle: CurlHandle) -> CurlErrorTable.Entry? {
    switch code {
    case CCURLE_COULDNT_CONNECT:
      switch Int32(truncatingIfNeeded: handle.count(CCURLINFO_OS_ERRNO)) {
      case ECONNREFUSED: return (.connectionFailed, "the connection to {peer} was refused")
      case EHOSTUNREACH, ENETUNREACH:
        return (.connectionFailed, "there is no network route to {peer}")
      default: return nil
      }
    // Once the connection is open, the code usually refers to the protocol in the status line.
    case CCURLE_UNSUPPORTED_PROTOCOL where handle.remoteAddress != nil:
      return CurlErrorTable.entry(for: CCURLE_WEIRD_SERVER_REPLY)
    case CCURLE_BAD_FUNCTION_ARGUMENT where handle.remoteAddress != nil:
      return (.invalidResponse, "a line of the head of the response is not a header field")
    case CCURLE_WEIRD_SERVER_REPLY where handle.errorText.contains("Content-Length"):
      return (.invalidResponse, "the response's Content-Length is not a number")
    // The code depends on the version of libcurl.
    case CCURLE_RECV_ERROR where handle.errorText.contains(longTrailer),
      CCURLE_TOO_LARGE where handle.errorText.contains(longTrailer):
      return (.invalidResponse, "a field of the response's trailers is longer than libcurl takes")
    case CCURLE_RECV_ERROR where handle.errorText.contains("chunk"):
      return (.invalidResponse, "the chunks of the body are malformed")
    default: return nil
    }
  }

  private static let longTrailer = "Out of memory in chunked-encoding"

  private static var isOutOfDescriptors: Bool {
    var pair: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
      return errno == EMFILE || errno == ENFILE
    }
    for descriptor in pair { close(descriptor) }
    return false
  }
}
#endif
