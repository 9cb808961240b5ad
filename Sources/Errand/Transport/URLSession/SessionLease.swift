import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session, its delegate and its queue, owned by the transport and by every transfer that runs in it.
///
/// The last owner that goes ends the session, which keeps its delegate until then; so no task is ever made in a session that has
/// ended, which would end the process. Everything about the session's transfers happens on ``queue``: its delegate is called there, and
/// tasks are made, resumed and cancelled there, so that no answer to the session comes after the task was cancelled.
final class SessionLease: Sendable {
  /// Serial; the guard of all that belongs to the transfers.
  let queue: DispatchQueue
  let session: URLSession
  let delegate: SessionDelegate

  /// - Parameter configuration: a copy that nobody else has.
  init(_ configuration: URLSessionConfiguration, onChallenge: SessionChallengeHandler?) {
    queue = DispatchQueue(label: "Errand URLSession")
    delegate = SessionDelegate(onChallenge: onChallenge)
    let calls = OperationQueue()
    calls.underlyingQueue = queue
    calls.maxConcurrentOperationCount = 1
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: calls)
  }

  /// How many transfers run; for tests.
  var runningCount: Int { queue.sync { delegate.count } }

  deinit { session.finishTasksAndInvalidate() }
}

extension URLSessionConfiguration {
  /// A copy that keeps nothing between requests, and leaves time and the number of connections to the agent.
  func forOneTransport() -> URLSessionConfiguration {
    let copy = copy() as? URLSessionConfiguration ?? .ephemeral
    copy.urlCache = nil
    copy.requestCachePolicy = .reloadIgnoringLocalCacheData
    copy.httpCookieStorage = nil
    copy.httpShouldSetCookies = false
    copy.httpCookieAcceptPolicy = .never
    copy.urlCredentialStorage = nil
    // They would go to every origin, credentials among them, past all that the agent knows.
    copy.httpAdditionalHeaders = nil
    copy.timeoutIntervalForRequest = Self.longTime
    copy.timeoutIntervalForResource = Self.longTime
    copy.httpMaximumConnectionsPerHost = 256
    return copy
  }

  /// A year, in seconds: Foundation takes no time without end.
  static let longTime = 365.0 * 86_400
}
