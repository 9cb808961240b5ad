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
  /// `nil`, because Foundation on Linux hides the formatter of `formatted` in a `custom` strategy.
  var formatter: DateFormatter? { nil }
}

extension JSONEncoder.DateEncodingStrategy {
  var formatter: DateFormatter? { nil }
}
#endif
