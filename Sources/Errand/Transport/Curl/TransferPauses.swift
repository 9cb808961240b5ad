#if os(Linux)
import CCurl

/// Which sides of a transfer wait for the application.
struct TransferPauses {
  /// Nobody takes what has come.
  var receiving = false
  /// The body's stream has nothing yet.
  var sending = false
  /// The dispatch is suspended.
  var isSuspended = false

  var isAny: Bool { receiving || sending || isSuspended }

  /// Whether only the body's next bytes are waited for.
  var isOfSendingAlone: Bool { sending && !receiving && !isSuspended }

  /// The same as libcurl wants it.
  var mask: Int32 {
    (receiving || isSuspended ? CCURLPAUSE_RECV : 0) | (sending || isSuspended ? CCURLPAUSE_SEND : 0)
  }
}
#endif
