import Errand
import Foundation

/// A file that gets other bytes in one step, and is the same otherwise: where a link leads, with the rights it had.
enum ReplacedFile {
  /// Why it was not written, in words.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Puts bytes in the place of what is there; a new file has the rights of any other.
  ///
  /// Throws a ``Failure``; then it is as it was.
  static func write(_ data: Data, to path: String) throws(Failure) {
    let target = Result { () throws(RegularFile.Problem) in try PrivateFile.target(of: path) }
    let path: String
    do throws(RegularFile.Problem) { path = try target.get() } catch {
      throw Failure(description: "it \(error.clause)")
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    if let attributes, attributes[.type] as? FileAttributeType != .typeRegular {
      throw Failure(description: "it is no regular file")
    }
    // Until the file has its rights, nobody else may read it.
    let rights = (attributes?[.posixPermissions] as? Int).map { mode_t($0) }
    let failure = UnfinishedFile.write(data, to: path, mode: rights == nil ? 0o666 : 0o600) { descriptor in
      rights.map { fchmod(descriptor, $0) == 0 } ?? true
    }
    if let failure { throw Failure(description: String(cString: strerror(failure))) }
  }
}
