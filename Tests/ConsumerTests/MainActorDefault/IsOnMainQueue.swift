import Dispatch

nonisolated private let key: DispatchSpecificKey<Bool> = {
  let key = DispatchSpecificKey<Bool>()
  DispatchQueue.main.setSpecific(key: key, value: true)
  return key
}()

/// Whether this runs on the main queue; `Thread.isMainThread` is false there in an asynchronous program on Linux.
nonisolated func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: key) == true }
