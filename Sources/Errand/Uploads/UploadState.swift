public import Foundation

extension UploadProtocol {
  /// An upload that a server has begun: what is stored to go on with it later, also in another process.
  ///
  /// It tells the server's URL, which may be all that somebody needs to write there: keep it as you keep a credential.
  public struct State: Codable, Sendable, Hashable {
    /// The name of the protocol: `tus`, `google` or `ietf-draft`.
    public let protocolName: String
    /// Where the server has the upload.
    public let url: URL
    /// How many bytes the server has acknowledged.
    public internal(set) var offset: Int64 = 0
    /// How many there are; `nil` while that is not known.
    public internal(set) var length: Int64?
    /// Chunks but the last are of a multiple of it.
    var granularity: Int64 = 1
    /// The longest chunk the server takes; `nil` for any.
    var chunkLimit: Int64?
    /// Of each chunk; `nil` where none is sent.
    var checksum: UploadChecksum?
    /// What tells the file from another one, and from itself after a change; `nil` where it is none.
    var stamp: String?

    init(_ protocolName: String, url: URL) { (self.protocolName, self.url) = (protocolName, url) }
  }
}

extension UploadProtocol.State: PrintedByDescription {
  /// Such as `tus upload, 512 of 2048 bytes`; never the URL.
  public var description: String {
    "\(protocolName) upload, " + (length.map { "\(offset) of \($0) bytes" } ?? "\(offset) bytes")
  }
  /// Shows `dump` the same.
  public var customMirror: Mirror { Mirror(self, children: ["offset": offset]) }
}

extension UploadProtocol {
  /// An upload that the server has whole.
  public struct Receipt: Sendable {
    /// Where the server had the upload.
    public let url: URL
    /// How many bytes were uploaded.
    public let size: Int64
    /// The last answer; `nil` where it was lost on its way, and the server said afterwards only that it has all.
    public let response: HTTPResponse?
  }
}

extension UploadProtocol.Receipt: PrintedByDescription {
  /// Such as `2048 bytes uploaded, 204 No Content`; never the URL.
  public var description: String {
    "\(size) bytes uploaded" + (response.map { ", \($0.status)" } ?? "")
  }
  /// Shows `dump` the same.
  public var customMirror: Mirror { Mirror(self, children: ["size": size]) }
}

extension UploadProtocol.State {
  /// The parts of the URL that may be all that somebody needs to write there; shorter parts would hide too much.
  var secrets: [Secret] {
    let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedQueryItems ?? []
    return ([url.lastPathComponent] + items.compactMap(\.value)).filter { $0.utf8.count >= 8 }.map {
      Secret($0)
    }
  }
}
