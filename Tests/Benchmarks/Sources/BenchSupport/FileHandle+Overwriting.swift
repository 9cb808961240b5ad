public import Foundation

extension FileHandle {
  /// Creates an empty file at a path, or ends the process if the file cannot be created.
  public static func overwriting(_ path: String) -> FileHandle {
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else { fail("cannot write \(path)") }
    return file
  }
}
