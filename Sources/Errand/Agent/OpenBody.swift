import Foundation

/// An ``OpenDispatch`` of whatever request.
protocol OpenBody: AnyObject, Sendable {
  /// The next chunk; at the end it runs the rest of the line first.
  func next() async throws -> Data?
  /// Ends the transfer as cancelled, unless it is about to end.
  func giveUp()
  /// What a second reader gets.
  var readTwice: RequestError { get }
  var summary: TransportSummary { get }
}
