import Testing

@testable import Errand

@Suite("The list of dispatches in flight")
struct InFlightTests {
  @Test(
    "A dispatch under a cancelled group is cancelled by the source that cancelled the group",
    arguments: [CancellationSignal.Source.task, .handle, .agent])
  func parent(_ source: CancellationSignal.Source) {
    let (groups, dispatches) = (InFlight(), InFlight())
    let group = groups.enter()
    let early = dispatches.enterDispatch(under: group)
    group.signal.cancel(by: source)
    let late = dispatches.enterDispatch(under: group)
    #expect(early.signal.source == nil && late.signal.source == source)
  }
}
