package import Foundation

/// The encoding of a text: UTF-8, UTF-16 or UTF-32.
///
/// The byte order mark or the zeros among the first four bytes tell the encoding (RFC 4627 section 3).
package struct JSONEncodings {
  /// The size of a code unit in bytes: 1, 2 or 4.
  let width: Int
  /// The index of the low byte within a code unit.
  let low: Int
  /// The length of the byte order mark in bytes; 0 without a mark.
  let mark: Int

  init(of bytes: UnsafeRawBufferPointer) {
    func begins(_ prefix: [UInt8]) -> Bool { bytes.starts(with: prefix) }
    let isZero = bytes.prefix(4).map { $0 == 0 }
    (width, low, mark) =
      if begins([0xEF, 0xBB, 0xBF]) {
        (1, 0, 3)
      } else if begins([0, 0, 0xFE, 0xFF]) {
        (4, 3, 4)
      } else if begins([0xFF, 0xFE, 0, 0]) {
        (4, 0, 4)
      } else if begins([0xFE, 0xFF]) {
        (2, 1, 2)
      } else if begins([0xFF, 0xFE]) {
        (2, 0, 2)
      } else {
        switch isZero {
        case [true, true, true, false]: (4, 3, 0)
        case [false, true, true, true]: (4, 0, 0)
        case [true, false, true, false], [true, false]: (2, 1, 0)
        case [false, true, false, true], [false, true]: (2, 0, 0)
        default: (1, 0, 0)
        }
      }
  }

  /// Returns the text in UTF-8 without its byte order mark; `nil` for invalid UTF-16 or UTF-32.
  ///
  /// The bytes of a text in UTF-8 are not checked.
  package static func utf8(_ data: Data) -> Data? {
    let isPlain = data.withUnsafeBytes {
      $0.count >= 4 && ByteWord.zeroOrHigh($0.loadUnaligned(as: UInt32.self)) == 0
    }
    if isPlain { return data }
    let text = data.withUnsafeBytes { JSONEncodings(of: $0) }
    if text.width == 1 { return data.dropFirst(text.mark) }
    // An incomplete code unit at the end is ignored, but must not be the whole text.
    if text.mark + 1..<text.mark + text.width ~= data.count { return nil }
    return data.withUnsafeBytes { bytes in
      text.width == 2
        ? utf8(text.units(UInt16.self, of: bytes), as: UTF16.self)
        : utf8(text.units(UInt32.self, of: bytes), as: UTF32.self)
    }
  }

  private func units<Unit: FixedWidthInteger>(
    _ type: Unit.Type, of bytes: UnsafeRawBufferPointer
  ) -> some Sequence<Unit> {
    stride(from: mark, to: bytes.count - width + 1, by: width).lazy.map { offset in
      let unit = bytes.loadUnaligned(fromByteOffset: offset, as: Unit.self)
      return low == 0 ? Unit(littleEndian: unit) : Unit(bigEndian: unit)
    }
  }

  private static func utf8<Encoding: UnicodeCodec>(
    _ units: some Sequence<Encoding.CodeUnit>, as encoding: Encoding.Type
  ) -> Data? {
    var (units, codec) = (units.makeIterator(), Encoding())
    var (text, part) = (Data(), [UInt8]())
    while true {
      switch codec.decode(&units) {
      case .scalarValue(let scalar): part.append(contentsOf: UTF8.encode(scalar).unsafelyUnwrapped)
      case .emptyInput: return text + part
      case .error: return nil
      }
      if part.count >= 4096 {
        text.append(contentsOf: part)
        part.removeAll(keepingCapacity: true)
      }
    }
  }
}
