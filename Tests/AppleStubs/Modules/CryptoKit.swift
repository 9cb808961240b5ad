// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The declarations of CryptoKit that the sources use, as Apple documents CryptoKit.

public protocol Digest: Sequence, Sendable where Element == UInt8 {}

public protocol HashFunction: Sendable {
  associatedtype Digest: CryptoKit.Digest
  init()
  mutating func update(bufferPointer: UnsafeRawBufferPointer)
  func finalize() -> Digest
}

public struct StubDigest: Digest {
  public func makeIterator() -> IndexingIterator<[UInt8]> { [].makeIterator() }
}

public struct SHA256: HashFunction {
  public init() {}
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
  public func finalize() -> StubDigest { StubDigest() }
}

public struct SHA512: HashFunction {
  public init() {}
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
  public func finalize() -> StubDigest { StubDigest() }
}

public enum Insecure {
  public struct MD5: HashFunction {
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
    public func finalize() -> StubDigest { StubDigest() }
  }

  public struct SHA1: HashFunction {
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
    public func finalize() -> StubDigest { StubDigest() }
  }
}
