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
  /// Foundation has no `formatted` strategy on Linux.
  var formatter: DateFormatter? { nil }
}

extension JSONEncoder.DateEncodingStrategy {
  var formatter: DateFormatter? { nil }
}
#endif
