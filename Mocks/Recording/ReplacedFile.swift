import Errand
import Foundation

/// Atomic replacement of a file, or of the target of a symbolic link; an existing file keeps its permissions.
enum ReplacedFile {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static func write(_ data: Data, to path: String) throws(Failure) {
    let target = Result { () throws(RegularFile.Problem) in try PrivateFile.target(of: path) }
    let path: String
    do throws(RegularFile.Problem) { path = try target.get() } catch {
      throw Failure(description: "the path \(error.clause)")
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    if let attributes, attributes[.type] as? FileAttributeType != .typeRegular {
      throw Failure(description: "the path is not a regular file")
    }
    // Until `fchmod` copies the permissions of an old file, only the owner may read the new file.
    let rights = (attributes?[.posixPermissions] as? Int).map { mode_t($0) }
    let failure = UnfinishedFile.write(data, to: path, mode: rights == nil ? 0o666 : 0o600) { descriptor in
      rights.map { fchmod(descriptor, $0) == 0 } ?? true
    }
    if let failure { throw Failure(description: String(cString: strerror(failure))) }
  }
}
