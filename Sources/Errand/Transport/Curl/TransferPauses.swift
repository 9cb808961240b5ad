#if os(Linux)
import CCurl

/// Which sides of a transfer wait for the application.
struct TransferPauses {
  /// What has come is not taken.
  var receiving = false
  /// The body's stream has nothing yet.
  var sending = false
  /// The dispatch is suspended.
  var isSuspended = false

  var isAny: Bool { receiving || sending || isSuspended }

  /// Whether it waits for somebody who has all the time in the world.
  ///
  /// A stream of a body has not: its peer waits for the rest of a request.
  var isForCaller: Bool { receiving || isSuspended }

  /// Whether only the body's next bytes are waited for.
  var isOfSendingAlone: Bool { sending && !receiving && !isSuspended }

  /// The same as libcurl wants it.
  var mask: Int32 {
    (receiving || isSuspended ? CCURLPAUSE_RECV : 0) | (sending || isSuspended ? CCURLPAUSE_SEND : 0)
  }
}
#endif
