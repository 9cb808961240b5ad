import Foundation

/// An FNV-1a hash of a URL's scheme and authority, and of the ``Request/limitKey``, if any.
///
/// A default port does not count. Origins with equal hashes share limits, such as slots.
struct OriginNumber: Sendable, Hashable {
  let value: UInt64

  init(_ value: UInt64) { self.value = value }

  /// `nil` without `//` after the scheme, such as for a `data:` URL.
  @inline(__always)
  init?(of url: URL) { self.init(ofText: url.absoluteString) }

  @inline(__always)
  init?(ofText url: String) {
    var text = url
    guard let value = text.withUTF8(Self.value) else { return nil }
    self.value = value
  }

  /// Returns the number for requests with the ``Request/limitKey`` `name`; `nil`: returns this number.
  @inline(__always)
  func named(_ name: String?) -> OriginNumber {
    guard let name else { return self }
    return named(by: name)
  }

  @inline(never)
  private func named(by name: String) -> OriginNumber {
    var value = Self.mix(value, with: 0)
    for byte in name.utf8 { value = Self.mix(value, with: byte) }
    return OriginNumber(value)
  }

  @inline(__always)
  private static func mix(_ value: UInt64, with byte: UInt8) -> UInt64 {
    (value ^ UInt64(byte)) &* 0x100_0000_01B3
  }

  private static func value(of url: UnsafeBufferPointer<UInt8>) -> UInt64? {
    var scheme = 0
    while scheme < url.count, url[scheme] != 0x3A { scheme += 1 }
    let start = scheme + 3
    guard start <= url.count, url[scheme + 1] == 0x2F, url[scheme + 2] == 0x2F else { return nil }
    var (end, colon) = (start, url.count)
    while end < url.count, url[end] != 0x2F, url[end] != 0x3F, url[end] != 0x23 {
      if url[end] == 0x3A { colon = end }
      end += 1
    }
    if colon < end, isStandard(url[(colon + 1)..<end], scheme: scheme) { end = colon }

    var value: UInt64 = 0xCBF2_9CE4_8422_2325
    var index = 0
    while index < end {
      // `| 0x20` lowercases letters. Other characters of an origin stay distinct.
      value = mix(value, with: url[index] | 0x20)
      index += 1
    }
    return value
  }

  private static func isStandard(_ port: Slice<UnsafeBufferPointer<UInt8>>, scheme: Int) -> Bool {
    switch port.count {
    case 0: true
    case 2: scheme == 4 && port.elementsEqual("80".utf8)
    case 3: scheme == 5 && port.elementsEqual("443".utf8)
    default: false
    }
  }
}
