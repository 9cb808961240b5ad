/// How a server takes an upload that can be gone on with, for ``RequestAgent/upload(_:to:by:resuming:maxFailures:progress:stateChanged:)``.
///
/// Each of them begins an upload with one request, sends the bytes in chunks by others, and asks the server how many it has after a
/// failure.
public struct UploadProtocol: Sendable {
  let dialect: any UploadDialect

  /// The size of chunks where none is given: 8,388,608 bytes (8 MiB).
  public static let standardChunkSize = 8_388_608

  /// tus 1.0.0, with its extensions for creation and termination.
  ///
  /// Of a body whose length is not known the server gets the length with the last chunk (extension creation-defer-length).
  ///
  /// - Parameters:
  ///   - chunkSize: how many bytes a request has at most; 8 MiB by default. A value below 1 counts as 1.
  ///   - metadata: sent as `Upload-Metadata`, in the order of the names; `filename` and `filetype` are names that servers know. Empty
  ///     by default. A name with a blank or a comma, or without a character, is an error of kind ``RequestError/Kind/invalidRequest``.
  ///   - checksums: whether each chunk has an `Upload-Checksum`, by the first of SHA-256, SHA-512 and SHA-1 that the server lists in
  ///     `Tus-Checksum-Algorithm`, which it is asked for; none where it lists none of them. `false` by default. Each chunk is read twice then.
  public static func tus(
    chunkSize: Int = standardChunkSize, metadata: [String: String] = [:], checksums: Bool = false
  ) -> UploadProtocol {
    UploadProtocol(
      dialect: TusUpload(chunkSize: Int64(max(chunkSize, 1)), metadata: metadata, checksums: checksums))
  }

  /// Google's resumable uploads, with `X-Goog-Upload` headers.
  ///
  /// The body of the request that begins the upload is sent as it is: services take the metadata there. Chunks are of a multiple of the
  /// granularity that the server asks for, which may be 8 MiB at most, and a rest of less than 2,500 bytes goes with the last one. Status 308, and 200 with
  /// `X-HTTP-Status-Code-Override: 308`, say that the server goes on waiting.
  ///
  /// - Parameter chunkSize: how many bytes a request has at most, but for that rest; 8 MiB by default. A value below 1 counts as 1.
  public static func google(chunkSize: Int = standardChunkSize) -> UploadProtocol {
    UploadProtocol(dialect: GoogleUpload(chunkSize: Int64(max(chunkSize, 1))))
  }

  /// The careful form of the IETF's draft of resumable uploads (draft-ietf-httpbis-resumable-upload): an empty upload is created with
  /// `Upload-Complete: ?0`, and filled by `PATCH` with `application/partial-upload`.
  ///
  /// Experimental: the draft changes, and servers speak one of its versions only. This is their common part from version 6 on; no
  /// informational response (104) is needed.
  ///
  /// - Parameters:
  ///   - interop: sent as `Upload-Draft-Interop-Version`; 8 by default. One below 6, which had other fields, is an error of kind
  ///     ``RequestError/Kind/unsupported``.
  ///   - chunkSize: how many bytes a request has at most; 8 MiB by default, and less where the server's `Upload-Limit` says so, but not below
  ///     16 KiB. A value below 1 counts as 1.
  public static func ietfDraft(interop: Int = 8, chunkSize: Int = standardChunkSize) -> UploadProtocol {
    UploadProtocol(dialect: DraftUpload(interop: interop, chunkSize: Int64(max(chunkSize, 1))))
  }
}

extension UploadProtocol: CustomStringConvertible {
  /// Its name: `tus`, `google` or `ietf-draft`.
  public var description: String { dialect.name }
}
