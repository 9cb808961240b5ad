import Foundation

extension JSONDecoder.DateDecodingStrategy {
  /// The strategy that writes what this one reads; `encoding` where this one is a closure.
  ///
  /// It stands here because Foundation has date formatters among the strategies on Apple platforms only.
  func mirrored(or encoding: JSONEncoder.DateEncodingStrategy) -> JSONEncoder.DateEncodingStrategy {
    switch self {
    case .deferredToDate: .deferredToDate
    case .secondsSince1970: .secondsSince1970
    case .millisecondsSince1970: .millisecondsSince1970
    case .iso8601: .iso8601
    #if canImport(Darwin)
    case .formatted(let formatter): .formatted(formatter)
    #endif
    case .custom: encoding
    @unknown default: encoding
    }
  }
}
