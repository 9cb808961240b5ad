import Errand
import ErrandHARFormat
import ErrandJSON
import Foundation

struct HAROutput: Sendable {
  private let file: URL
  private let write: GrowingFile.Write
  private var growing: GrowingFile?
  private var end: Int64 = 0
  private var isEmpty = true
  private var ending = Data()

  init(_ file: URL, write: @escaping GrowingFile.Write = GrowingFile.system) {
    self.file = file
    self.write = write
  }

  private static let beginning = """
    {"log":{"version":"1.2","creator":{"name":"Errand","version":"\(Platform.errandVersion)"},"entries":[
    """

  /// Returns the text after the last entry.
  ///
  /// The text has the same length for every count.
  private static func ending(_ dropped: Int) -> Data {
    let text = dropped == 0 ? "\n]}}" : "\n],\"comment\":\"Dispatches left out: \(dropped).\"}}"
    return Data((text + String(repeating: " ", count: max(0, 64 - text.utf8.count)) + "\n").utf8)
  }

  /// Appends a line for each entry.
  ///
  /// If the file was deleted, moved or truncated, starts a new file.
  mutating func append(_ entries: [HAREntry], dropped: Int) throws(TransportError) {
    do {
      if let growing, try !growing.isInPlace(with: end) {
        (self.growing, end, isEmpty) = (nil, 0, true)
      }
      let text = try lines(of: entries)
      let ending = Self.ending(dropped)
      if let growing {
        try growing.replaceEnd(from: end, with: text + ending, orPutBack: self.ending)
      } else {
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        growing = try GrowingFile.begin(at: file.path, with: text + ending, write: write)
      }
      end += Int64(text.count)
      isEmpty = isEmpty && entries.isEmpty
      self.ending = ending
    } catch {
      let reason = (error as? RegularFile.Problem)?.clause ?? error.localizedDescription
      throw TransportError(.file, "the HAR file \(file.path) cannot be written: \(reason)")
    }
  }

  private func lines(of entries: [HAREntry]) throws -> Data {
    var coding = JSONCoding()
    coding.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var text = growing == nil ? Data(Self.beginning.utf8) : Data()
    for (index, entry) in entries.enumerated() {
      text += Data((isEmpty && index == 0 ? "\n" : ",\n").utf8)
      text += try coding.encode(entry)
    }
    return text
  }
}
