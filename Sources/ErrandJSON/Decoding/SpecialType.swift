import Foundation

enum SpecialType: UInt8 {
  case string, int, double, bool
  case date, url, data, decimal
  case strings, ints, doubles

  @inline(__always)
  init?<Value>(_ type: Value.Type) {
    if type == String.self {
      self = .string
    } else if type == URL.self {
      self = .url
    } else if type == Date.self {
      self = .date
    } else if type == Int.self {
      self = .int
    } else if type == Double.self {
      self = .double
    } else if type == Bool.self {
      self = .bool
    } else if type == [String].self {
      self = .strings
    } else if type == [Int].self {
      self = .ints
    } else if type == [Double].self {
      self = .doubles
    } else if type == Data.self {
      self = .data
    } else if type == Decimal.self {
      self = .decimal
    } else {
      return nil
    }
  }
}
