import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class SessionDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  // Guarded by the queue of the lease.
  private var exchanges: [Int: URLSessionExchange] = [:]
  let onChallenge: SessionChallengeHandler?
  let clients = ShownClients()

  init(onChallenge: SessionChallengeHandler?) { self.onChallenge = onChallenge }

  func add(_ exchange: URLSessionExchange, for task: URLSessionTask) {
    exchanges[task.taskIdentifier] = exchange
  }

  var count: Int { exchanges.count }

  func exchange(of task: URLSessionTask) -> URLSessionExchange? { exchanges[task.taskIdentifier] }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // The session must not follow redirects, because the dispatch follows redirects.
    if SessionPlatform.mayCompleteCancelledTasks || exchange(of: task)?.isStopped == false {
      completionHandler(nil)
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    exchange(of: task)?.noteChallenge(challenge.protectionSpace.authenticationMethod)
    SessionPlatform.answer(challenge, with: onChallenge, noting: clients, completion: completionHandler)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    exchange(of: task)?.noteSent(bytesSent)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    exchange(of: dataTask)?.take(response)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(of: dataTask)?.take(data)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    exchange(of: task)?.metrics = metrics.transactionMetrics.last.map { TransportSummary.Metrics($0) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    exchanges.removeValue(forKey: task.taskIdentifier)?.complete(error)
  }
}
