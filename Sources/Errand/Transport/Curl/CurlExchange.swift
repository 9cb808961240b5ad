#if os(Linux)
final class CurlExchange: TransferExchange {
  let request: TransportRequest
  let upload: TransferUpload
  let loop: CurlLoop
  let mailbox = Locked(TransferMailbox())
  let detour: CurlDetour?

  init(_ request: TransportRequest, upload: TransferUpload, loop: CurlLoop, detour: CurlDetour? = nil) {
    self.detour = detour
    self.request = request
    self.upload = upload
    self.loop = loop
  }

  func begin() { loop.post(.start(self)) }

  func stop() { loop.post(.end(self)) }

  func makeRoom() { loop.post(.resumeReceiving(self)) }

  func followSuspension() { loop.post(.followSuspension(self)) }
}
#endif
