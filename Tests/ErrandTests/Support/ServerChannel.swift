/// The byte stream of a connection of a test server, plain or over TLS.
protocol ServerChannel: AnyObject {
  /// Waits for bytes, and returns received bytes; empty if the peer has closed the connection.
  func receive() -> [UInt8]
  /// Sends all bytes; returns `false` if the peer has closed the connection.
  ///
  /// Over TLS, each record has up to 16,384 bytes.
  func send(_ bytes: UnsafeRawBufferPointer) -> Bool
  /// Closes the connection.
  ///
  /// Over TLS, sends the closing message first.
  func close()
  /// Closes the socket only.
  ///
  /// Over TLS, the connection is cut.
  func cut()
  /// Closes the connection with a reset.
  func reset()
  /// Holds back the bytes sent from now on, if possible.
  func hold()
  /// Sends the held bytes at once.
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
