import Foundation

/// The head of a response whose body is still to come; made by ``RequestAgent/stream(_:)``.
///
/// The dispatch runs until ``body`` has been read or the response is dropped.
public struct StreamedResponse: Sendable {
  /// The head, after `filterResponse`; its body is empty.
  public let head: HTTPResponse

  /// The body, read once by one consumer: chunks that are never empty, after content decoding.
  ///
  /// It throws the one ``RequestError`` of the dispatch, or `CancellationError` when the reading task was cancelled.
  /// A second iterator throws at once.
  public let body: BodyStream

  private let end: OneTime<EndedDispatch<HTTPResponse>>

  init(head: HTTPResponse, body: BodyStream, end: OneTime<EndedDispatch<HTTPResponse>>) {
    self.head = head
    self.body = body
    self.end = end
  }

  /// A response that a hook made up in place of a failure.
  init(of response: HTTPResponse, end ended: EndedDispatch<HTTPResponse>) {
    var head = response
    head.body = Data()
    head.link.dispatched = ended.dispatched
    let end = OneTime<EndedDispatch<HTTPResponse>>()
    end.set(ended)
    self.init(head: head, body: BodyStream(response.body), end: end)
  }

  /// The account of the dispatch, with trailers, timings and the length of the body; `nil` until it has ended.
  ///
  /// It is there when the loop over ``body`` is through or has thrown; soon after a `break`.
  public var report: ExchangeReport? { end.value?.report }
}

extension StreamedResponse: PrintedByDescription {
  /// `200 OK, streamed`; never the fields, nor the bytes.
  public var description: String { "\(head.status), streamed" }
  /// Shows `dump` the status only.
  public var customMirror: Mirror { Mirror(self, children: ["status": head.status]) }
}
