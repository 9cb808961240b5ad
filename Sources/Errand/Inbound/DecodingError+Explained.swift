package import Foundation

extension DecodingError {
  /// The error with a reason where Foundation gives neither place nor reason; else itself.
  ///
  /// On Linux it says "The given data was not valid JSON." of every text it cannot read, and also of `1.5` where an
  /// `Int` was asked for.
  ///
  /// - Parameter name: what the reason calls the text.
  package func explained(by body: Data, as name: String = "the body") -> DecodingError {
    guard case .dataCorrupted(let context) = self, context.codingPath.isEmpty,
      context.debugDescription.contains("not valid JSON")
    else { return self }
    var reason = "a number does not fit its type"
    do {
      _ = try JSONParser.parse(body)
    } catch {
      reason = "\(name) is not JSON: \(error.reason)"
    }
    return .dataCorrupted(Context(codingPath: [], debugDescription: reason, underlyingError: self))
  }
}
