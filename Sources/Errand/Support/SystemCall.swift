package import Foundation

/// Calls of the system on open files: a call that a signal has interrupted is made again.
package enum SystemCall {
  /// Calls until no signal interrupts the call.
  ///
  /// - Parameter call: returns a number of bytes, or a number below 0 with the reason in `errno`.
  /// - Returns: what the last call returned, and `errno` after the call.
  package static func uninterrupted(_ call: () -> Int) -> (count: Int, code: Int32) {
    while true {
      let count = call()
      let code = errno
      guard count < 0, code == EINTR else { return (count, code) }
    }
  }

  /// Writes all bytes where the descriptor is.
  ///
  /// - Returns: the error number of the call that failed; `nil`: all bytes were written.
  package static func write(_ data: Data, to descriptor: Int32) -> Int32? {
    write(data) { bytes, _ in
      let (count, code) = uninterrupted { Foundation.write(descriptor, bytes.baseAddress, bytes.count) }
      return (count, count < 0 ? code : ENOSPC)
    }
  }

  /// Writes all bytes, however many a call takes.
  ///
  /// - Parameter call: writes bytes, whose offset in `data` it is told. Returns how many were written, or a number below 0, and the error number.
  /// - Returns: the error number of the call that failed; `nil`: all bytes were written.
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
