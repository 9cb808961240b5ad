package import Foundation

/// A value in bytes, so equal values have equal bytes.
///
/// Doubles are compared by bits with a single NaN, text by UTF-8, and sets and dictionaries by their sorted
/// contents.
package struct Trace: Hashable, Sendable, CustomStringConvertible {
  fileprivate(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func add<each Value: Traceable>(_ values: repeat each Value) {
    repeat (each values).write(to: &self)
  }

  /// Writes the result of the work, or the thrown error.
  package mutating func attempt<Value: Traceable>(_ work: () throws -> Value) {
    do {
      add(try work())
    } catch {
      add(ErrorFact(error).insideOfDecoding)
    }
  }

  mutating func tag(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: " "))
  }

  mutating func path(_ path: [any CodingKey]) { add(path.map(PathElement.init)) }

  /// Writes the values in the order of their bytes.
  mutating func sorted<Value: Traceable>(_ values: some Sequence<Value>) {
    let parts = values.map { value in
      var part = Trace()
      part.add(value)
      return part.bytes
    }
    tag("sorted")
    for part in parts.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      bytes.append(contentsOf: part)
    }
    tag("end")
  }

  package var description: String { String(decoding: bytes, as: UTF8.self) }
}

/// A value that can be compared exactly.
package protocol Traceable {
  func write(to trace: inout Trace)
}

/// A type for decoding and comparison.
package typealias CaseValue = Decodable & Traceable

extension Trace: Traceable {
  package func write(to trace: inout Trace) { trace.bytes.append(contentsOf: bytes) }
}

extension FixedWidthInteger where Self: Traceable {
  package func write(to trace: inout Trace) {
    trace.bytes.append(contentsOf: String(self).utf8)
    trace.bytes.append(UInt8(ascii: " "))
  }
}
extension Int: Traceable {}
extension Int8: Traceable {}
extension Int16: Traceable {}
extension Int32: Traceable {}
extension Int64: Traceable {}
extension UInt: Traceable {}
extension UInt8: Traceable {}
extension UInt16: Traceable {}
extension UInt32: Traceable {}
extension UInt64: Traceable {}
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension Int128: Traceable {}
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension UInt128: Traceable {}

extension Bool: Traceable {
  package func write(to trace: inout Trace) { trace.tag(self ? "true" : "false") }
}

extension Double: Traceable {
  package func write(to trace: inout Trace) {
    isNaN ? trace.tag("nan") : trace.add("d" + String(bitPattern, radix: 16))
  }
}

extension Float: Traceable {
  package func write(to trace: inout Trace) {
    isNaN ? trace.tag("nan") : trace.add("f" + String(bitPattern, radix: 16))
  }
}

extension CGFloat: Traceable {
  package func write(to trace: inout Trace) { trace.add(Double(self)) }
}

extension Decimal: Traceable {
  package func write(to trace: inout Trace) { trace.add("decimal " + description) }
}

extension String: Traceable {
  package func write(to trace: inout Trace) {
    trace.add(utf8.count)
    trace.bytes.append(contentsOf: utf8)
    trace.bytes.append(UInt8(ascii: " "))
  }
}

extension Date: Traceable {
  package func write(to trace: inout Trace) { trace.add(timeIntervalSinceReferenceDate) }
}

extension Data: Traceable {
  package func write(to trace: inout Trace) { trace.add("bytes " + base64EncodedString()) }
}

extension URL: Traceable {
  package func write(to trace: inout Trace) { trace.add(relativeString, baseURL == nil) }
}

extension UUID: Traceable {
  package func write(to trace: inout Trace) { trace.add(uuidString) }
}

extension Optional: Traceable where Wrapped: Traceable {
  package func write(to trace: inout Trace) {
    switch self {
    case nil: trace.tag("nil")
    case let value?:
      trace.tag("some")
      trace.add(value)
    }
  }
}

extension Array: Traceable where Element: Traceable {
  package func write(to trace: inout Trace) {
    trace.add(count)
    for element in self { trace.add(element) }
  }
}

extension Set: Traceable where Element: Traceable {
  package func write(to trace: inout Trace) { trace.sorted(self) }
}

extension Dictionary: Traceable where Key: Traceable, Value: Traceable {
  package func write(to trace: inout Trace) {
    trace.sorted(map { TracedPair(key: $0.key, value: $0.value) })
  }
}

private struct TracedPair<Key: Traceable, Value: Traceable>: Traceable {
  let key: Key
  let value: Value

  func write(to trace: inout Trace) { trace.add(key, value) }
}

extension Range: Traceable where Bound: Traceable {
  package func write(to trace: inout Trace) { trace.add(lowerBound, upperBound) }
}

extension ClosedRange: Traceable where Bound: Traceable {
  package func write(to trace: inout Trace) { trace.add(lowerBound, upperBound) }
}
