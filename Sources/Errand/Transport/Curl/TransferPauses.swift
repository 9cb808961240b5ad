#if os(Linux)
import CCurl

struct TransferPauses {
  /// True if the transfer waits until the consumer has read buffered bytes.
  var receiving = false
  var sending = false
  var isSuspended = false

  var isAny: Bool { receiving || sending || isSuspended }

  var isForCaller: Bool { receiving || isSuspended }

  var isOfSendingAlone: Bool { sending && !receiving && !isSuspended }

  var mask: Int32 {
    (receiving || isSuspended ? CCURLPAUSE_RECV : 0) | (sending || isSuspended ? CCURLPAUSE_SEND : 0)
  }
}
#endif
