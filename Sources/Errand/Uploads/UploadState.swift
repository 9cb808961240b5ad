public import Foundation

extension UploadProtocol {
  /// The state of an upload, for continuing later, even in a different process.
  ///
  /// Store the state like a credential, because the upload's URL may grant write access.
  public struct State: Codable, Sendable, Hashable {
    /// The name of the protocol: `tus`, `google` or `ietf-draft`.
    public let protocolName: String
    /// The URL of the upload at the server.
    public let url: URL
    /// The number of bytes that the server has acknowledged.
    public internal(set) var offset: Int64 = 0
    /// The total length in bytes; `nil` while the length is unknown.
    public internal(set) var length: Int64?
    /// The granularity that the server requires, in bytes.
    ///
    /// Without a chunk limit, the length of each chunk except the last is a multiple of the granularity.
    var granularity: Int64 = 1
    /// The server's limit for a chunk in bytes, if any.
    var chunkLimit: Int64?
    var checksum: UploadChecksum?
    var stamp: String?

    init(_ protocolName: String, url: URL) { (self.protocolName, self.url) = (protocolName, url) }
  }
}

extension UploadProtocol.State: PrintedByDescription {
  /// A summary such as `tus upload, 512 of 2048 bytes`.
  public var description: String {
    "\(protocolName) upload, " + (length.map { "\(offset) of \($0) bytes" } ?? "\(offset) bytes")
  }
  /// A mirror with the offset.
  public var customMirror: Mirror { Mirror(self, children: ["offset": offset]) }
}

extension UploadProtocol {
  /// The result of a completed upload.
  public struct Receipt: Sendable {
    /// The URL of the upload at the server.
    public let url: URL
    /// The number of uploaded bytes, including earlier runs.
    public let size: Int64
    /// The response to the last chunk.
    ///
    /// `nil` if no chunk was sent, or if a status query after an interruption showed that the upload was
    /// complete.
    public let response: HTTPResponse?
  }
}

extension UploadProtocol.Receipt: PrintedByDescription {
  /// A summary such as `2048 bytes uploaded, 204 No Content`.
  public var description: String {
    "\(size) bytes uploaded" + (response.map { ", \($0.status)" } ?? "")
  }
  /// A mirror with the size.
  public var customMirror: Mirror { Mirror(self, children: ["size": size]) }
}

extension UploadProtocol.State {
  /// The last path segment and the query values, which may grant write access.
  ///
  /// Texts of less than 8 bytes are left out.
  var secrets: [Secret] {
    let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedQueryItems ?? []
    return ([url.lastPathComponent] + items.compactMap(\.value)).filter { $0.utf8.count >= 8 }.map {
      Secret($0)
    }
  }
}
