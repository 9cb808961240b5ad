import BenchSupport
import CurlWrappers

/// An easy handle with its received bytes.
///
/// Only the client's thread accesses a transfer.
final class ThinTransfer {
  let easy = curl_easy_init()!
  private var headers: [[UInt8]] = []
  private var body: [UInt8] = []
  private var continuation: UnsafeContinuation<ThinResponse, any Error>?

  init(authority: String?) {
    let context = Unmanaged.passRetained(self).toOpaque()
    _ = curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
    _ = curl_set_pointer(easy, CURLOPT_PRIVATE, context)
    _ = curl_set_pointer(easy, CURLOPT_HEADERDATA, context)
    _ = curl_set_pointer(easy, CURLOPT_WRITEDATA, context)
    _ = curl_set_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      ThinTransfer.of(context).headers.append(Array(received(bytes, size * count)))
      return size * count
    }
    _ = curl_set_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      ThinTransfer.of(context).append(received(bytes, size * count))
      return size * count
    }
    guard let authority else { return }
    _ = curl_set_string(easy, CURLOPT_CAINFO, authority)
    _ = curl_set_long(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    _ = curl_set_long(easy, CURLOPT_PIPEWAIT, 1)
  }

  func begin(_ submission: Submission) {
    continuation = submission.continuation
    _ = curl_set_string(easy, CURLOPT_URL, submission.url)
  }

  func end(_ result: CURLcode) {
    let response = ThinResponse(status: curl_status(easy), headers: headers, body: body)
    headers = []
    body = []
    if result == CURLE_OK {
      continuation?.resume(returning: response)
    } else {
      continuation?.resume(throwing: Unexpected(text: String(cString: curl_easy_strerror(result))))
    }
    continuation = nil
  }

  private func append(_ bytes: UnsafeRawBufferPointer) {
    if body.isEmpty { body.reserveCapacity(max(0, min(Int(curl_content_length(easy)), 1 << 20))) }
    body.append(contentsOf: bytes)
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> ThinTransfer {
    Unmanaged.fromOpaque(context!).takeUnretainedValue()
  }
}

private func received(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> UnsafeRawBufferPointer {
  UnsafeRawBufferPointer(start: bytes, count: count)
}
