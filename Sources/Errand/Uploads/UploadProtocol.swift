/// A protocol for resumable uploads; see
/// ``RequestAgent/upload(_:to:by:resuming:maxFailures:progress:stateChanged:)``.
public struct UploadProtocol: Sendable {
  let dialect: any UploadDialect

  /// The default chunk size: 8,388,608 bytes (8 MiB).
  public static let standardChunkSize = 8_388_608

  /// Creates the protocol tus 1.0.0.
  ///
  /// - Parameters:
  ///   - chunkSize: The maximum length of a chunk in bytes; 8 MiB by default.
  ///   - metadata: The `Upload-Metadata`. A name consists of visible ASCII characters without commas.
  ///   - checksums: True to add an `Upload-Checksum` to chunks if the server supports checksums; `false` by
  ///     default. A resumed upload keeps its earlier setting.
  public static func tus(
    chunkSize: Int = standardChunkSize, metadata: [String: String] = [:], checksums: Bool = false
  ) -> UploadProtocol {
    UploadProtocol(
      dialect: TusUpload(chunkSize: Int64(max(chunkSize, 1)), metadata: metadata, checksums: checksums))
  }

  /// Creates Google's protocol for resumable uploads.
  ///
  /// The request that starts an upload may have a body.
  ///
  /// - Parameter chunkSize: The maximum length of a chunk in bytes; 8 MiB by default. The last chunk may
  ///   have up to 2,499 bytes more. Chunks are also longer if the server requires multiples of a larger size.
  public static func google(chunkSize: Int = standardChunkSize) -> UploadProtocol {
    UploadProtocol(dialect: GoogleUpload(chunkSize: Int64(max(chunkSize, 1))))
  }

  /// Creates the protocol of the IETF draft for resumable uploads (draft-ietf-httpbis-resumable-upload).
  ///
  /// Experimental: the draft changes, and a server may support only a single version.
  ///
  /// - Parameters:
  ///   - interop: The `Upload-Draft-Interop-Version`, 6 or later; 8 by default.
  ///   - chunkSize: The maximum length of a chunk in bytes; 8 MiB by default.
  public static func ietfDraft(interop: Int = 8, chunkSize: Int = standardChunkSize) -> UploadProtocol {
    UploadProtocol(dialect: DraftUpload(interop: interop, chunkSize: Int64(max(chunkSize, 1))))
  }
}

extension UploadProtocol: PrintedByDescription {
  /// The name of the protocol.
  public var description: String { dialect.name }
}
