import Dispatch

nonisolated private let key: DispatchSpecificKey<Bool> = {
  let key = DispatchSpecificKey<Bool>()
  DispatchQueue.main.setSpecific(key: key, value: true)
  return key
}()

/// Returns true on the main queue.
///
/// On Linux, `Thread.isMainThread` is false on the main queue of an asynchronous program.
nonisolated func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: key) == true }
