#if os(Linux)
import CCurl

/// The reasons for which a transfer waits for the application.
struct TransferPauses {
  /// True if received bytes are not consumed.
  var receiving = false
  /// True if the stream of the request body has no bytes yet.
  var sending = false
  /// True if the dispatch is suspended.
  var isSuspended = false

  var isAny: Bool { receiving || sending || isSuspended }

  /// True if the transfer waits for its caller, who may take any time.
  ///
  /// Waiting for the body's stream does not count, because the server waits for the rest of the request.
  var isForCaller: Bool { receiving || isSuspended }

  /// True if the transfer waits only for the next bytes of the request body.
  var isOfSendingAlone: Bool { sending && !receiving && !isSuspended }

  /// The pauses as a bit mask for libcurl.
  var mask: Int32 {
    (receiving || isSuspended ? CCURLPAUSE_RECV : 0) | (sending || isSuspended ? CCURLPAUSE_SEND : 0)
  }
}
#endif
