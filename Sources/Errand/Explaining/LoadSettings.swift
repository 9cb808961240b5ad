/// The settings of an agent for adaptive concurrency and hedging.
struct LoadSettings<R: Request> {
  let dispatch: Dispatch<R>

  func settings(for http: HTTPRequest) -> [RequestExplanation.Setting] {
    let key = dispatch.request.limitKey
    let algorithm = dispatch.agent.slots.algorithm(of: http.location.text, key: key)
    let hedging = (dispatch.wire.transport as? any HedgingTransport)?.summary(of: http)
    return [("concurrency", algorithm?.summary), ("hedging", hedging)].compactMap { name, value in
      value.map {
        RequestExplanation.Setting(name: name, value: dispatch.context.redaction.text($0), source: .agent)
      }
    }
  }
}
