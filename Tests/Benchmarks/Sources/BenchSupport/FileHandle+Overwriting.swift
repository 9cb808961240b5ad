public import Foundation

extension FileHandle {
  /// An empty file at a path; ends the process when there can be none.
  public static func overwriting(_ path: String) -> FileHandle {
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else { fail("cannot write \(path)") }
    return file
  }
}
