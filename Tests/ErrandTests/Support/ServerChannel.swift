/// Plain or over TLS.
protocol ServerChannel: AnyObject {
  /// Empty if the peer has closed the connection.
  func receive() -> [UInt8]
  /// Returns `false` if the peer has closed the connection. Over TLS, each record has up to 16,384 bytes.
  func send(_ bytes: UnsafeRawBufferPointer) -> Bool
  /// Over TLS, sends the closing message first.
  func close()
  /// Over TLS, without the closing message.
  func cut()
  func reset()
  /// Holds back later bytes, if possible.
  func hold()
  func release()
}

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
