import Errand

/// Records the events of groups.
struct GroupDiary: GroupAccessory {
  let recorder: Recorder

  func groupWillStart(_ context: GroupContext) async { recorder.add("willStart \(context.progress.text)") }

  func groupMemberDidStop(_ member: GroupReport.Member, context: GroupContext) async {
    recorder.add("member \(member.index) \(member.outcome.word) \(context.progress.text)")
  }

  func groupWillStop(_ context: GroupContext) async { recorder.add("willStop \(context.progress.text)") }

  func groupDidStop(_ report: GroupReport, context: GroupContext) async {
    recorder.add("didStop \(report.outcome.word): \(report.text)")
  }
}

extension GroupReport.Progress {
  var text: String { "\(completed)/\(total)" }
}

extension GroupReport {
  /// The outcome of each member, with `unsent` for members that were not sent.
  var text: String {
    members.map { $0.wasSent ? $0.outcome.word : "\($0.outcome.word) unsent" }.joined(separator: ", ")
  }
}

/// A member that records its start and its outcome.
struct Member: Request {
  typealias Response = String
  let path: String
  var recorder = Recorder()

  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    recorder.add("\(path) sent")
  }

  func completed(_ outcome: Outcome<String>, context: RequestContext) async {
    recorder.add("\(path) \(outcome.word)")
  }
}
