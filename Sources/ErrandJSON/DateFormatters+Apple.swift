#if canImport(Darwin)
import Foundation

extension JSONDecoder.DateDecodingStrategy {
  /// The formatter that reads dates: a strategy that Foundation has on Apple platforms only.
  var formatter: DateFormatter? { if case .formatted(let formatter) = self { formatter } else { nil } }
}

extension JSONEncoder.DateEncodingStrategy {
  /// The formatter that writes dates.
  var formatter: DateFormatter? { if case .formatted(let formatter) = self { formatter } else { nil } }
}
#endif
