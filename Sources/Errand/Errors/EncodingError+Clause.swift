extension EncodingError {
  package var clause: String {
    guard case .invalidValue(_, let context) = self else { return String(describing: self) }
    let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
    let place = path.isEmpty ? "the value" : String(path.drop { $0 == "." })
    return "\(place) cannot be encoded: \(context.debugDescription)"
  }
}
