/// The bytes of one connection as a server of the tests moves them: plain, or over TLS.
protocol ServerChannel: AnyObject {
  /// The bytes that are there, waiting for some; empty when the peer is gone.
  func receive() -> [UInt8]
  /// Sends all bytes, over TLS as one record for every 16,384; `false` when the peer is gone.
  func send(_ bytes: UnsafeRawBufferPointer) -> Bool
  /// Closes in order: over TLS it says so first.
  func close()
  /// Closes the socket alone, which over TLS is a cut.
  func cut()
  /// Closes with a reset.
  func reset()
  /// Holds back what is sent from now on.
  func hold()
  /// Sends what was held back, all at once.
  func release()
}

/// A connection without TLS.
final class PlainChannel: ServerChannel {
  private let descriptor: Int32

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    LoopbackSocket.setPrompt(descriptor)
  }

  func receive() -> [UInt8] { LoopbackSocket.receive(from: descriptor) }
  func send(_ bytes: UnsafeRawBufferPointer) -> Bool { LoopbackSocket.send(bytes, to: descriptor) }
  func close() { LoopbackSocket.close(descriptor) }
  func cut() { close() }
  func reset() { LoopbackSocket.reset(descriptor) }
  func hold() { LoopbackSocket.setHeld(descriptor, true) }
  func release() { LoopbackSocket.setHeld(descriptor, false) }
}
