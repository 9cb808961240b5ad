package import Foundation

package enum SystemCall {
  /// Repeats a call that a signal interrupted; returns the last result and `errno`.
  package static func uninterrupted(_ call: () -> Int) -> (count: Int, code: Int32) {
    while true {
      let count = call()
      let code = errno
      guard count < 0, code == EINTR else { return (count, code) }
    }
  }

  /// Writes all bytes.
  ///
  /// Returns the error number after a failure, otherwise `nil`.
  package static func write(_ data: Data, to descriptor: Int32) -> Int32? {
    write(data) { bytes, _ in
      let (count, code) = uninterrupted { Foundation.write(descriptor, bytes.baseAddress, bytes.count) }
      return (count, count < 0 ? code : ENOSPC)
    }
  }

  /// Writes all bytes.
  ///
  /// Returns the error number after a failure, otherwise `nil`. `call` returns the number of written bytes.
  /// After a failure, `call` returns 0 or less, with the error number.
  package static func write(
    _ data: Data, by call: (UnsafeRawBufferPointer, _ offset: Int) -> (count: Int, code: Int32)
  ) -> Int32? {
    data.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let (count, code) = call(UnsafeRawBufferPointer(rebasing: bytes[done...]), done)
        if count < 0, code == EINTR { continue }
        guard count > 0 else { return code }
        done += count
      }
      return nil
    }
  }
}
