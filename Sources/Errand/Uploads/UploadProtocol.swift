/// A protocol for resumable uploads, for
/// ``RequestAgent/upload(_:to:by:resuming:maxFailures:progress:stateChanged:)``.
///
/// A request starts the upload, and further requests send the bytes in chunks. After a failure, the
/// agent asks the server for the number of received bytes.
public struct UploadProtocol: Sendable {
  let dialect: any UploadDialect

  /// The default chunk size: 8,388,608 bytes (8 MiB).
  public static let standardChunkSize = 8_388_608

  /// Creates the protocol tus 1.0.0, with the extensions creation and termination.
  ///
  /// For a body of unknown length, the last chunk reports the length to the server (extension
  /// creation-defer-length).
  ///
  /// - Parameters:
  ///   - chunkSize: The maximum number of bytes in a request; 8 MiB by default. A value below 1
  ///     counts as 1.
  ///   - metadata: The `Upload-Metadata`, in the order of the names; empty by default. Most servers
  ///     know the names `filename` and `filetype`. A name consists of visible ASCII characters
  ///     except commas; any other name is an error of kind ``RequestError/Kind/invalidRequest``.
  ///   - checksums: True if each chunk has an `Upload-Checksum`; `false` by default. The agent asks
  ///     the server for `Tus-Checksum-Algorithm`, and uses the first of SHA-256, SHA-512 and SHA-1
  ///     in the response; without such an algorithm, no checksum is sent. With checksums, each
  ///     chunk is read twice.
  public static func tus(
    chunkSize: Int = standardChunkSize, metadata: [String: String] = [:], checksums: Bool = false
  ) -> UploadProtocol {
    UploadProtocol(
      dialect: TusUpload(chunkSize: Int64(max(chunkSize, 1)), metadata: metadata, checksums: checksums))
  }

  /// Creates Google's protocol for resumable uploads, with `X-Goog-Upload` headers.
  ///
  /// The request that starts the upload may have a body, because services expect metadata in the
  /// body. The length of each chunk except the last is a multiple of the server's granularity.
  /// A granularity above 8 MiB is an error. A remainder of less than 2,500 bytes is sent together with
  /// the preceding chunk. Status 308, or a success with `X-HTTP-Status-Code-Override: 308`, means that the
  /// server waits for more bytes.
  ///
  /// - Parameter chunkSize: the maximum number of bytes in a request without such a remainder; 8
  ///   MiB by default. A value below the server's granularity counts as the granularity.
  public static func google(chunkSize: Int = standardChunkSize) -> UploadProtocol {
    UploadProtocol(dialect: GoogleUpload(chunkSize: Int64(max(chunkSize, 1))))
  }

  /// Creates the protocol of the IETF draft for resumable uploads
  /// (draft-ietf-httpbis-resumable-upload).
  ///
  /// The first request creates an empty upload with `Upload-Complete: ?0` (careful upload
  /// creation). A `PATCH` with `application/partial-upload` appends each chunk.
  ///
  /// Experimental: the draft changes, and a server may support only a single version. Errand
  /// implements the common part of the versions from 6 on, and does not use informational responses
  /// (104).
  ///
  /// - Parameters:
  ///   - interop: The `Upload-Draft-Interop-Version`; 8 by default. A version below 6 is an error
  ///     of kind ``RequestError/Kind/unsupported``, because its headers differ.
  ///   - chunkSize: The maximum number of bytes in a request; 8 MiB by default. The server's
  ///     `Upload-Limit` may reduce the size. With a limit below 16 KiB and below `chunkSize`, an upload
  ///     fails, unless the remaining bytes are known to fit into a single request. A `chunkSize`
  ///     below 1 counts as 1.
  public static func ietfDraft(interop: Int = 8, chunkSize: Int = standardChunkSize) -> UploadProtocol {
    UploadProtocol(dialect: DraftUpload(interop: interop, chunkSize: Int64(max(chunkSize, 1))))
  }
}

extension UploadProtocol: PrintedByDescription {
  /// The name of the protocol, without the settings: `tus`, `google` or `ietf-draft`.
  public var description: String { dialect.name }
}
