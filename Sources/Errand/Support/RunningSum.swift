import CSums

package struct RunningSum: Sendable {
  /// A hash function.
  ///
  /// MD5 (RFC 1321) and SHA-1 do not detect forgeries. Use them only where a protocol requires them.
  package enum Kind: Sendable {
    case md5, sha1, sha256, sha512
    /// The function SHA-512/256 (FIPS 180-4 section 6.7).
    case sha512To256
  }

  /// The system's implementation; `nil` on Linux, and for SHA-512/256.
  private var system: SystemSum?
  private var own = csums()

  package init(_ kind: Kind) {
    system = SystemSum(kind)
    csums_begin(&own, kind.ownFunction)
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    if system?.update(bytes) != nil { return }
    csums_update(&own, bytes.baseAddress, bytes.count)
  }

  package func digest() -> [UInt8] {
    if let system { return system.digest() }
    var last = own
    return [UInt8](unsafeUninitializedCapacity: 64) { output, count in
      count = output.baseAddress.map { csums_finish(&last, $0) } ?? 0
    }
  }
}

extension RunningSum.Kind {
  fileprivate var ownFunction: csums_kind {
    switch self {
    case .md5: CSUMS_MD5
    case .sha1: CSUMS_SHA1
    case .sha256: CSUMS_SHA256
    case .sha512: CSUMS_SHA512
    case .sha512To256: CSUMS_SHA512_256
    }
  }
}
