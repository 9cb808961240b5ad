import CurlWrappers
import Foundation
import Synchronization

/// The minimal Swift client over libcurl: one thread, one continuation a transfer, and arrays for received
/// bytes.
///
/// The client shows the least cost of Errand's design. There is no cancellation, no timeout, no streaming,
/// and almost no error handling.
final class ThinClient: @unchecked Sendable {
  /// Guards `waiting`.
  ///
  /// Only the client's thread accesses the other properties.
  private let waiting = Mutex<[Submission]>([])
  private let multi = curl_multi_init()!
  private let authority: String?
  private var idle: [ThinTransfer] = []

  init(inFlight: Int, authority: String?) {
    self.authority = authority
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    _ = curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, inFlight + 16)
    Thread { self.loop() }.start()
  }

  func send(_ url: String) async throws -> ThinResponse {
    try await withUnsafeThrowingContinuation { continuation in
      let submission = Submission(url: url, continuation: continuation)
      let isFirst = waiting.withLock {
        $0.append(submission)
        return $0.count == 1
      }
      if isFirst { curl_multi_wakeup(multi) }
    }
  }

  private func loop() {
    var running: Int32 = 0
    var queued: Int32 = 0
    var submissions: [Submission] = []
    while true {
      submissions.removeAll(keepingCapacity: true)
      waiting.withLock { swap(&$0, &submissions) }
      for submission in submissions { start(submission) }
      curl_multi_perform(multi, &running)
      while let message = curl_multi_info_read(multi, &queued) { finish(message.pointee) }
      curl_multi_poll(multi, nil, 0, 1000, nil)
    }
  }

  private func start(_ submission: Submission) {
    let transfer = idle.popLast() ?? ThinTransfer(authority: authority)
    transfer.begin(submission)
    curl_multi_add_handle(multi, transfer.easy)
  }

  private func finish(_ message: CURLMsg) {
    let transfer = Unmanaged<ThinTransfer>.fromOpaque(curl_private(message.easy_handle)).takeUnretainedValue()
    curl_multi_remove_handle(multi, transfer.easy)
    transfer.end(message.data.result)
    idle.append(transfer)
  }
}

struct Submission: Sendable {
  let url: String
  let continuation: UnsafeContinuation<ThinResponse, any Error>
}

struct ThinResponse: Sendable {
  var status: Int
  /// The header lines of the response head.
  var headers: [[UInt8]]
  var body: [UInt8]
}
