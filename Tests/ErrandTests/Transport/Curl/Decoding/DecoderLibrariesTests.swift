#if os(Linux)
import CCurl
import Foundation
import Testing

@testable import Errand

@Suite("Curl: decoders of the system")
struct DecoderLibrariesTests {
  static let none = DecoderLibraries(
    zlib: ZlibLibrary("liberrand-missing.so.1"), brotli: BrotliLibrary("liberrand-missing.so.1"),
    zstd: ZstdLibrary("liberrand-missing.so.1"))

  @Test("if a library is missing, its coding is neither offered nor decoded")
  func missing() throws {
    #expect(Self.none.codings == [])
    #expect(TransportCapabilities(libraries: Self.none, libcurl: nil).contentCodings == [])
    let some = DecoderLibraries(zlib: ZlibLibrary(), brotli: nil, zstd: nil)
    #expect(some.codings == [.gzip, .deflate])
    for coding in ["br", "zstd", "gzip, br"] {
      #expect(try ContentCoding.decoders(for: ["Content-Encoding": coding], libraries: some).isEmpty)
    }
    #expect(try ContentCoding.decoders(for: ["Content-Encoding": "gzip"], libraries: Self.none).isEmpty)
    #expect(try ContentCoding.decoders(for: ["Content-Encoding": "gzip"], libraries: some).count == 1)
  }

  @Test("a library without the functions counts as missing")
  func strange() {
    #expect(ZlibLibrary("libc.so.6") == nil)
    #expect(BrotliLibrary("libz.so.1") == nil)
    #expect(ZstdLibrary("libz.so.1") == nil)
  }

  @Test("the transport offers the system's codings in the order of browsers")
  func offered() {
    let libraries = DecoderLibraries.system
    let expected =
      (libraries.zlib == nil ? [] : ["gzip", "deflate"]) + (libraries.brotli == nil ? [] : ["br"])
      + (libraries.zstd == nil ? [] : ["zstd"])
    #expect(CurlTransport().capabilities.contentCodings == expected)
  }

  @Test("capabilities that depend on libcurl are reported")
  func libcurl() throws {
    let capabilities = CurlTransport().capabilities
    #expect(capabilities.streamsUploads)
    #expect(capabilities.httpVersions.first == "HTTP/1.1")
    let info = try #require(CurlLibrary.system.info).pointee
    let versions = [info.version, info.ssl_version, info.nghttp2_version].map {
      $0.map { String(cString: $0) }
    }
    let names = zip(["libcurl/", "", "nghttp2/"], versions).compactMap { name, version in
      version.map { "\(name)\($0)" }
    }
    #expect(capabilities.implementation == names.joined(separator: " "))
    #expect(names.first?.hasPrefix("libcurl/") == true)
    #expect(TransportCapabilities(libraries: Self.none, libcurl: nil).implementation == nil)
  }

  @Test(
    "The transport claims to count resends if libcurl can, and HTTP/2 if libcurl reports the ends of streams")
  func versions() throws {
    var info = try #require(CurlLibrary.system.info).pointee
    (info.version_num, info.features) = (0x07_4C_00, 0)
    let old = TransportCapabilities(libraries: Self.none, libcurl: info)
    #expect(old.httpVersions == ["HTTP/1.1"])
    #expect(!old.countsResends)
    (info.version_num, info.features) = (0x08_02_01, Int32(CCURL_VERSION_HTTP2 | CCURL_VERSION_SSL))
    #expect(TransportCapabilities(libraries: Self.none, libcurl: info).httpVersions == ["HTTP/1.1"])
    (info.version_num, info.features) = (0x08_03_00, Int32(CCURL_VERSION_HTTP2 | CCURL_VERSION_SSL))
    let new = TransportCapabilities(libraries: Self.none, libcurl: info)
    #expect(new.httpVersions == ["HTTP/1.1", "HTTP/2"])
    #expect(new.countsResends)
  }
}
#endif
