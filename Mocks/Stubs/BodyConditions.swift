import Errand
import Foundation

struct TextBodyCondition: StubCondition {
  let wanted: TextPattern

  func difference(in request: ReceivedRequest, _ shown: MessageText) -> String? {
    let text = request.text
    guard !wanted.matches(text) else { return nil }
    if let problem = wanted.problem(with: [text], { shown.value($0, of: "") }) {
      return "body cannot be compared: \(problem)"
    }
    let found =
      request.body.isEmpty ? "empty" : shown.body(request.body, type: request.headers["Content-Type"])
    return "body is \(found), not \(wanted.words { text, _ in shown.value(text, of: "") })"
  }
}

struct DataBodyCondition: StubCondition {
  let data: Data

  func difference(in request: ReceivedRequest, _ shown: MessageText) -> String? {
    guard request.body != data else { return nil }
    return "body \(request.body.difference(from: data))"
  }
}

struct PartCondition: StubCondition {
  let isFile: Bool
  let name: String
  let filename: TextPattern?
  let type: TextPattern?
  let text: TextPattern?
  let data: Data?

  func difference(in request: ReceivedRequest, _ shown: MessageText) -> String? {
    let parts = request.parts.filter {
      $0.name?.isWritten(as: name) == true && (!isFile || $0.filename != nil)
    }
    let differences = parts.map { difference(of: $0, shown) }
    guard !differences.contains(nil) else { return nil }
    let kind = isFile ? "file" : "part"
    return "body \(kind) \(name) \(differences.compactMap(\.self).first ?? "is missing")"
  }

  private func difference(of part: BodyPart, _ shown: MessageText) -> String? {
    if let filename, part.filename.map(filename.matches) != true {
      return shown.difference(of: [part.filename ?? "nothing"], from: filename, named: "", verb: "is named")
    }
    let found = part.headers["Content-Type"]
    if let type, found.map(type.matches) != true {
      return shown.difference(of: [found ?? "of no type"], from: type, named: "")
    }
    if let text, !text.matches(part.text) {
      return shown.difference(of: [part.text], from: text, named: name)
    }
    return data.flatMap { $0 == part.data ? nil : part.data.difference(from: $0) }
  }
}

extension Data {
  fileprivate func difference(from wanted: Data) -> String {
    guard count == wanted.count else { return "has \(count) bytes, not \(wanted.count)" }
    let place = zip(self, wanted).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? 0
    return "differs from byte \(place) on"
  }
}
