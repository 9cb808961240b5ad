#if !canImport(Darwin)
import Errand

enum BackgroundSessions {
  static func make(_ identifier: String, eventSource: BackgroundEventSource) throws -> any BackgroundSession {
    throw RequestError(.unsupported, "background sessions are not available on this system", stage: .build)
  }
}
#else
public import Errand
public import Foundation

enum BackgroundSessions {
  static func make(_ identifier: String, eventSource: BackgroundEventSource) throws -> any BackgroundSession {
    AppleBackgroundSession(.background(withIdentifier: identifier), eventSource: eventSource)
  }
}

extension BackgroundTransfers {
  /// Creates background transfers over a session with a configuration from `.background(withIdentifier:)`.
  ///
  /// The session stores no cookies and no credentials.
  public convenience init(configuration: URLSessionConfiguration, agent: RequestAgent) {
    let eventSource = BackgroundEventSource()
    self.init(
      AppleBackgroundSession(configuration, eventSource: eventSource), eventSource: eventSource, agent: agent)
  }
}

private final class AppleBackgroundSession: BackgroundSession {
  private let session: URLSession

  init(_ given: URLSessionConfiguration, eventSource: BackgroundEventSource) {
    let configuration = given.copy() as? URLSessionConfiguration ?? given
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.urlCredentialStorage = nil
    session = URLSession(
      configuration: configuration, delegate: BackgroundDelegate(eventSource), delegateQueue: nil)
  }

  deinit { session.finishTasksAndInvalidate() }

  func download(_ request: HTTPRequest, over access: NetworkAccess, note: String) {
    start(session.downloadTask(with: URLRequest(background: request, over: access)), note: note)
  }

  func upload(_ request: HTTPRequest, from file: URL, over access: NetworkAccess, note: String) {
    let message = URLRequest(background: request, over: access)
    start(session.uploadTask(with: message, fromFile: file), note: note)
  }

  private func start(_ task: URLSessionTask, note: String) {
    task.taskDescription = note
    task.resume()
  }

  func cancel(_ fits: @escaping @Sendable (String) -> Bool) async {
    for task in await session.allTasks where task.taskDescription.map(fits) ?? false { task.cancel() }
  }

  func notes() async -> [String] { await session.allTasks.compactMap(\.taskDescription) }
}

private final class BackgroundDelegate: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, Sendable
{
  private let eventSource: BackgroundEventSource

  init(_ eventSource: BackgroundEventSource) { self.eventSource = eventSource }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    eventSource.downloaded(
      location, note: downloadTask.taskDescription, response: Self.head(of: downloadTask))
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    eventSource.progressed(
      downloadTask.taskDescription, bytes: totalBytesWritten, of: totalBytesExpectedToWrite)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    eventSource.progressed(task.taskDescription, bytes: totalBytesSent, of: totalBytesExpectedToSend)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    eventSource.received(data, note: dataTask.taskDescription)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let head = Self.head(of: task)
    let failure = error.map { TransportError(background: $0, url: head?.url) }
    eventSource.completed(task.taskDescription, response: head, error: failure)
  }

  private static func head(of task: URLSessionTask) -> HTTPResponse? {
    (task.response as? HTTPURLResponse).map { HTTPResponse($0) }
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    eventSource.didFinishEvents()
  }
}
#endif
