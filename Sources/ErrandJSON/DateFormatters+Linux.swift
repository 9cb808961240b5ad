#if !canImport(Darwin)
import Foundation

extension JSONDecoder.DateDecodingStrategy {
  /// There is no such strategy here.
  var formatter: DateFormatter? { nil }
}

extension JSONEncoder.DateEncodingStrategy {
  /// There is no such strategy here.
  var formatter: DateFormatter? { nil }
}
#endif
