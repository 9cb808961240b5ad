import Foundation

#if canImport(Darwin)
extension JSONDecoder.DateDecodingStrategy {
  var formatter: DateFormatter? { if case .formatted(let formatter) = self { formatter } else { nil } }
}

extension JSONEncoder.DateEncodingStrategy {
  var formatter: DateFormatter? { if case .formatted(let formatter) = self { formatter } else { nil } }
}
#else
extension JSONDecoder.DateDecodingStrategy {
  /// On Linux, Foundation's `formatted` returns a `custom` strategy, so the formatter is unknown.
  var formatter: DateFormatter? { nil }
}

extension JSONEncoder.DateEncodingStrategy {
  var formatter: DateFormatter? { nil }
}
#endif
