extension RequestAgent {
  /// Uploads a body in a resumable way.
  ///
  /// An interrupted upload may continue later, even in a different process.
  ///
  /// ```swift
  /// let receipt = try await agent.upload(
  ///   .file(movie), to: .post("files"), by: .tus(), stateChanged: { await store.save($0) })
  /// ```
  ///
  /// The request starts the upload. Each step is a separate dispatch with the request's hooks, credentials,
  /// accessories, timeouts and limits. After a temporary failure, the agent asks the server for the number
  /// of received bytes. <doc:UploadsAndDownloads> documents all rules. To pause, cancel the task. To
  /// continue, call `upload` with the last state.
  ///
  /// - Parameters:
  ///   - body: The body to upload.
  ///   - request: The request that starts the upload. Google's protocol also sends the request's own body.
  ///     With other protocols, a body in the request is an error of kind
  ///     ``RequestError/Kind/invalidRequest``.
  ///   - uploadProtocol: The upload protocol of the server.
  ///   - state: The state of an earlier upload of the same body; `nil`, the default, starts a new upload. A
  ///     changed file or a body of different length is an error of kind ``RequestError/Kind/encoding``.
  ///   - maxFailures: The number of steps that may fail in a row without progress, and the number of times
  ///     that the server may lose bytes. With the default of 10, the waits between failed steps take about
  ///     17 minutes.
  ///   - progress: Receives the progress, on any thread. ``TransferProgress/attempt`` increases when bytes
  ///     are sent again.
  ///   - stateChanged: Receives the state after the start of the upload, and whenever the server has
  ///     reported its number of received bytes. The next chunk is sent after the function has returned.
  /// - Throws: ``RequestError``; `CancellationError` if the calling task was cancelled. The server keeps the
  ///   received bytes.
  public func upload<R: Request>(
    _ body: RequestBody, to request: R, by uploadProtocol: UploadProtocol,
    resuming state: UploadProtocol.State? = nil, maxFailures: Int = 10,
    progress: (@Sendable (TransferProgress) -> Void)? = nil,
    stateChanged: (@Sendable (UploadProtocol.State) async -> Void)? = nil
  ) async throws -> UploadProtocol.Receipt {
    try await UploadRun(
      agent: self, request: request, by: uploadProtocol.dialect, resuming: state, maxFailures: maxFailures,
      progress: progress, stateChanged: stateChanged
    ).upload(body)
  }

  /// Asks the server to delete an upload.
  ///
  /// An upload that the server no longer knows is not an error.
  ///
  /// - Parameters:
  ///   - state: The last state of the upload.
  ///   - request: The request that started the upload, for its headers, hooks and credentials.
  ///   - uploadProtocol: The protocol that started the upload.
  /// - Throws: ``RequestError``, of kind ``RequestError/Kind/status`` if the server refuses;
  ///   `CancellationError` if the calling task was cancelled.
  public func cancelUpload<R: Request>(
    _ state: UploadProtocol.State, to request: R, by uploadProtocol: UploadProtocol
  ) async throws {
    try await UploadRun(agent: self, request: request, by: uploadProtocol.dialect, resuming: state).cancel()
  }
}
