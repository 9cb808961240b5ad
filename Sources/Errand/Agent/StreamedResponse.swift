import Foundation

/// A response head and an unread body, from ``RequestAgent/stream(_:)``.
///
/// To cancel the dispatch before the end of the ``body``, release the unread body or the body's iterator.
public struct StreamedResponse: Sendable {
  /// The response head, with an empty body.
  public let head: HTTPResponse

  /// The body, usually after content decoding; create only one iterator.
  ///
  /// The body throws ``RequestError``, or `CancellationError` in a cancelled task.
  public let body: BodyStream

  private let end: OneTime<EndedDispatch<HTTPResponse>>

  init(head: HTTPResponse, body: BodyStream, end: OneTime<EndedDispatch<HTTPResponse>>) {
    self.head = head
    self.body = body
    self.end = end
  }

  init(of response: HTTPResponse, end ended: EndedDispatch<HTTPResponse>) {
    var head = response
    head.body = Data()
    head.link.dispatched = ended.dispatched
    let end = OneTime<EndedDispatch<HTTPResponse>>()
    end.set(ended)
    self.init(head: head, body: BodyStream(response.body), end: end)
  }

  /// The report of the dispatch; `nil` before the end.
  public var report: ExchangeReport? { end.value?.report }
}

extension StreamedResponse: PrintedByDescription {
  /// A text such as `200 OK, streamed`.
  public var description: String { "\(head.status), streamed" }
  /// A mirror for `dump` with the status only.
  public var customMirror: Mirror { Mirror(self, children: ["status": head.status]) }
}
