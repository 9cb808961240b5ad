import CSums

#if canImport(Darwin)
import CryptoKit
#endif

/// The sum of bytes by a hash function, taken as the bytes come; a copy goes on from where the original was copied.
package struct RunningSum: Sendable {
  /// The hash function.
  ///
  /// MD5 (RFC 1321) and SHA-1 are only for protocols that know no better: both find accidents, and no forgery.
  package enum Kind: Sendable {
    case md5, sha1, sha256, sha512
    /// SHA-512/256 (FIPS 180-4 section 6.7).
    case sha512To256
  }

  #if canImport(Darwin)
  /// The system's implementation; `nil` for SHA-512/256, which the system lacks.
  private var system: (any HashFunction)?
  #endif
  private var own = csums()

  package init(_ kind: Kind) {
    #if canImport(Darwin)
    system = kind.systemFunction
    #endif
    csums_begin(&own, kind.ownFunction)
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    #if canImport(Darwin)
    if system != nil {
      system?.update(bufferPointer: bytes)
      return
    }
    #endif
    csums_update(&own, bytes.baseAddress, bytes.count)
  }

  /// Returns the sum of all bytes so far.
  package func finished() -> [UInt8] {
    #if canImport(Darwin)
    if let system { return Self.finished(system) }
    #endif
    var last = own
    return [UInt8](unsafeUninitializedCapacity: 64) { output, count in
      count = output.baseAddress.map { csums_finish(&last, $0) } ?? 0
    }
  }

  #if canImport(Darwin)
  private static func finished(_ function: some HashFunction) -> [UInt8] { Array(function.finalize()) }
  #endif
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

  #if canImport(Darwin)
  fileprivate var systemFunction: (any HashFunction)? {
    switch self {
    case .md5: Insecure.MD5()
    case .sha1: Insecure.SHA1()
    case .sha256: SHA256()
    case .sha512: SHA512()
    case .sha512To256: nil
    }
  }
  #endif
}
