import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session with delegate and queue, owned by a transport and by its running transfers.
///
/// The release by the last owner ends the session. An earlier end would be unsafe, because creating a task in
/// an ended session crashes. Tasks are created, started and cancelled on the queue too, so a delegate call
/// can check for a cancelled task.
final class SessionLease: Sendable {
  /// The serial queue, which guards the state of the transfers.
  let queue: DispatchQueue
  let session: URLSession
  let delegate: SessionDelegate
  /// True if requests try HTTP/3 first.
  let triesHTTP3: Bool

  init(
    _ configuration: URLSessionConfiguration, onChallenge: SessionChallengeHandler?, triesHTTP3: Bool = false
  ) {
    self.triesHTTP3 = triesHTTP3
    queue = DispatchQueue(label: "Errand URLSession")
    delegate = SessionDelegate(onChallenge: onChallenge)
    let calls = OperationQueue()
    calls.underlyingQueue = queue
    calls.maxConcurrentOperationCount = 1
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: calls)
  }

  /// The number of running transfers, for tests.
  var runningCount: Int { queue.sync { delegate.count } }

  deinit { session.finishTasksAndInvalidate() }
}

extension URLSessionConfiguration {
  /// Returns a copy without cache, cookies and credentials, with a timeout of a year.
  ///
  /// Errand has separate timers, and a separate limit of concurrent transfers.
  func forOneTransport() -> URLSessionConfiguration {
    let copy = copy() as? URLSessionConfiguration ?? .ephemeral
    copy.urlCache = nil
    copy.requestCachePolicy = .reloadIgnoringLocalCacheData
    copy.httpCookieStorage = nil
    copy.httpShouldSetCookies = false
    copy.httpCookieAcceptPolicy = .never
    copy.urlCredentialStorage = nil
    // The session would send credentials in additional headers to every origin.
    copy.httpAdditionalHeaders = nil
    copy.timeoutIntervalForRequest = Self.longTime
    copy.timeoutIntervalForResource = Self.longTime
    copy.httpMaximumConnectionsPerHost = 256
    return copy
  }

  /// A year in seconds.
  static let longTime = 365.0 * 86_400
}
