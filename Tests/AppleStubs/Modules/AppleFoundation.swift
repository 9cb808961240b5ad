// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Declarations of Apple's Foundation that Linux lacks and the sources use. Also re-exports
// FoundationNetworking, because URL loading is part of Foundation on Apple platforms.
@_exported public import Darwin
@_exported public import Foundation
@_exported public import FoundationNetworking

public typealias CFWriteStream = OutputStream
public func CFWriteStreamSetDispatchQueue(_ stream: CFWriteStream!, _ q: DispatchQueue!) {}

// On Apple platforms the parameters are autoreleasing pointers, which need Objective-C. A call with `&`
// compiles with both types.
extension Stream {
  public class func getBoundStreams(
    withBufferSize bufferSize: Int, inputStream: UnsafeMutablePointer<InputStream?>?,
    outputStream: UnsafeMutablePointer<OutputStream?>?
  ) {}
}

extension NSData {
  public enum CompressionAlgorithm: Int, Sendable { case lzfse, lz4, lzma, zlib }

  public func decompressed(using algorithm: CompressionAlgorithm) throws -> NSData { self }
}

extension URLSession {
  public var allTasks: [URLSessionTask] { get async { [] } }
}

extension URLSessionConfiguration {
  public class func background(withIdentifier identifier: String) -> URLSessionConfiguration { .default }
  public var waitsForConnectivity: Bool {
    get { false }
    set {}
  }
  public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
    get { .TLSv12 }
    set {}
  }
}

/// Belongs to Security.
public enum tls_protocol_version_t: UInt16, Sendable {
  case TLSv10 = 0x0301
  case TLSv11 = 0x0302
  case TLSv12 = 0x0303
  case TLSv13 = 0x0304
}

extension URLRequest {
  public var assumesHTTP3Capable: Bool {
    get { false }
    set {}
  }
  public var allowsExpensiveNetworkAccess: Bool {
    get { true }
    set {}
  }
  public var allowsConstrainedNetworkAccess: Bool {
    get { true }
    set {}
  }
}

/// Belongs to Security.
public final class SecIdentity {}

extension URLCredential {
  public var identity: SecIdentity? { nil }
}
