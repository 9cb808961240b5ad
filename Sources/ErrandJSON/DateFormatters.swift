import Foundation

#if canImport(Darwin)
extension JSONDecoder.DateDecodingStrategy {
  /// The formatter that reads dates: a strategy that Foundation has on Apple platforms only.
  var formatter: DateFormatter? { if case .formatted(let formatter) = self { formatter } else { nil } }
}

extension JSONEncoder.DateEncodingStrategy {
  /// The formatter that writes dates.
  var formatter: DateFormatter? { if case .formatted(let formatter) = self { formatter } else { nil } }
}
#else
extension JSONDecoder.DateDecodingStrategy {
  /// There is no such strategy here.
  var formatter: DateFormatter? { nil }
}

extension JSONEncoder.DateEncodingStrategy {
  /// There is no such strategy here.
  var formatter: DateFormatter? { nil }
}
#endif
