import Foundation

#if canImport(Darwin)
extension JSONDecoder.DateDecodingStrategy {
  /// The formatter of a `formatted` strategy, available on Apple platforms only.
  var formatter: DateFormatter? { if case .formatted(let formatter) = self { formatter } else { nil } }
}

extension JSONEncoder.DateEncodingStrategy {
  var formatter: DateFormatter? { if case .formatted(let formatter) = self { formatter } else { nil } }
}
#else
extension JSONDecoder.DateDecodingStrategy {
  /// Always `nil`, because Foundation has no `formatted` strategy on Linux.
  var formatter: DateFormatter? { nil }
}

extension JSONEncoder.DateEncodingStrategy {
  var formatter: DateFormatter? { nil }
}
#endif
