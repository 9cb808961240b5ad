/// What lets an app run on for a while when it leaves the foreground: `UIApplication`, by `ApplicationBackgroundTasks`.
public protocol BackgroundTaskHost: Sendable {
  /// Begins a task; `nil` when the system grants none.
  ///
  /// - Parameters:
  ///   - name: what debuggers show.
  ///   - expired: to be called when the time is nearly up, on any thread, at most once; the task is ended within it.
  func beginBackgroundTask(named name: String, expired: @escaping @Sendable () -> Void) -> Int?

  /// Ends a task that ``beginBackgroundTask(named:expired:)`` gave, once.
  func endBackgroundTask(_ id: Int)
}
