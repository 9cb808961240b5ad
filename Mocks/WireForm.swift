import Errand
import Foundation

/// What an answer says about its form on a connection, beyond what every transport shows.
struct WireForm: Sendable {
  typealias Edit = @Sendable (inout AnswerScript) -> Void

  /// In place of the usual one, without its end.
  var statusLine: String?
  /// Lines after the header fields, without their ends.
  var headerLines: [Data] = []
  var informational: [(status: HTTPStatus, headers: HTTPHeaders)] = []
  var trailers: HTTPHeaders = [:]
  var isUnframed = false
  /// Changes to the finished script, in the order in which they were asked for.
  var edits: [Edit] = []

  /// Whether only a connection can show it, so that a ``MockTransport`` has to refuse the answer.
  ///
  /// Informational heads are dropped by every transport, and trailers are given apart from the head.
  var needsConnection: Bool {
    statusLine != nil || !headerLines.isEmpty || isUnframed || !edits.isEmpty
  }
}
