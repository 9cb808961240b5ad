import Errand
import Foundation

extension RecordedEntries {
  /// Reads a file; throws a ``/Errand/TransportError`` of kind ``Errand/RequestError/Kind/recording``.
  init(reading file: URL, redaction: Redaction) throws {
    let data: Data
    do {
      data = try Data(contentsOf: file)
    } catch {
      throw TransportError(.recording, "the recording \(file.path) cannot be read: \(Self.reason(error))")
    }
    do {
      let log = try JSONCoding().decode(HARFile.self, from: data.droppingByteOrderMark).log
      self.init(log.entries, file: file, redaction: redaction)
    } catch let error as DecodingError {
      let clause = error.explained(by: data, as: "it").clause
      throw TransportError(.recording, "\(file.lastPathComponent) is no HAR 1.2 file: \(clause)")
    }
  }

  /// The same, or no entries where there is no file yet.
  init(readingIfThere file: URL, redaction: Redaction) throws {
    if FileManager.default.fileExists(atPath: file.path) {
      try self.init(reading: file, redaction: redaction)
    } else {
      self.init([], file: file, redaction: redaction)
    }
  }

  /// Writes a file, as a whole or not at all; makes its folder.
  static func write(_ entries: [HAREntry], to file: URL) throws {
    var entries = entries
    for index in entries.indices { entries[index].setPlace(index) }
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try HARFile(entries: entries).encoded().write(to: file, options: .atomic)
    } catch {
      throw TransportError(.recording, "the recording \(file.path) cannot be written: \(reason(error))")
    }
  }

  private static func reason(_ error: any Error) -> String {
    if !(error is CocoaError) { return "\(error)" }
    return (error as? CocoaError)?.code == .fileReadNoSuchFile
      ? "there is no such file" : error.localizedDescription
  }
}

extension Data {
  fileprivate var droppingByteOrderMark: Data { starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self }
}
