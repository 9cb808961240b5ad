import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session with delegate and queue, owned by a transport and its running transfers.
///
/// The session ends at the last release and not earlier, because a new task in an ended session crashes.
final class SessionLease: Sendable {
  /// A serial queue, which guards the state of the transfers.
  let queue: DispatchQueue
  let session: URLSession
  let delegate: SessionDelegate
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

  var runningCount: Int { queue.sync { delegate.count } }

  deinit { session.finishTasksAndInvalidate() }
}

extension URLSessionConfiguration {
  /// Returns a copy without stores, and with timeouts of a year, because Errand has its own cookies, cache,
  /// credentials and timers.
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
