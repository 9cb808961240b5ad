import ErrandJSON
import Foundation

extension Commands {
  /// Prints JSON values in a process without the module `Errand`, on a thread with a stack of 512 KiB.
  static func printing() async -> Bool {
    await withCheckedContinuation { continuation in
      let thread = Thread {
        let deep = (0..<511).reduce(JSONValue.string("hunter2")) { value, _ in [value] }
        let values: [JSONValue] = [["password": "hunter2"], "hunter2", 7, true, .null, deep]
        for value in values {
          print(value)
          debugPrint(value)
          dump(value)
        }
        continuation.resume(returning: true)
      }
      thread.stackSize = 512 << 10
      thread.start()
    }
  }
}
