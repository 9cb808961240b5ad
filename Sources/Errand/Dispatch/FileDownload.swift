/// A call of ``RequestAgent/download(_:to:resumes:checksum:progress:)``.
struct FileDownload<R: Request> {
  let request: R
  let file: FileResponse
  let agent: RequestAgent

  func run(progress: (@Sendable (TransferProgress) -> Void)?) async throws -> DownloadedFile {
    let meter = progress.map { _ in TransferMeter(agent.clock) }
    let dispatch = Dispatch.begin(request, by: agent, meter: meter)
    let telling = meter?.observeResponse(progress)
    var state = DispatchState()
    let outcome = await withTaskCancellationHandler {
      await dispatch.download(to: file, on: &state)
    } onCancel: {
      dispatch.cancel(by: .task)
    }
    meter?.end()
    await telling?.value
    if case .success(let file) = outcome { return file }
    throw dispatch.thrown(outcome, on: state)
  }
}
