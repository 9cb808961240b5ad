import Errand

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
  /// `unsent` for members that were not sent.
  var text: String {
    members.map { $0.wasSent ? $0.outcome.word : "\($0.outcome.word) unsent" }.joined(separator: ", ")
  }
}

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
