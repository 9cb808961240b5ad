import Errand
import Foundation

/// A file that gets other bytes in one step, and is the same otherwise: where a link leads, with the rights it had.
enum ReplacedFile {
  /// Why it was not written, in words.
  struct Failure: Error, CustomStringConvertible {
    let description: String

    /// What the system's last call on this thread failed with.
    static var ofSystem: Failure { Failure(description: String(cString: strerror(errno))) }
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
    // Beside the file, so that it can take its place; until it has its rights, for nobody else.
    let beside = "\(path).\(UUID().uuidString)"
    let rights = (attributes?[.posixPermissions] as? Int).map { mode_t($0) }
    let descriptor = Foundation.open(
      beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, rights == nil ? 0o666 : 0o600)
    guard descriptor >= 0 else { throw .ofSystem }
    var failure: Failure?
    if !PrivateFile.fill(descriptor, with: data) || rights.map({ fchmod(descriptor, $0) == 0 }) == false {
      failure = .ofSystem
    }
    Foundation.close(descriptor)
    if failure == nil, rename(beside, path) != 0 { failure = .ofSystem }
    guard let failure else { return }
    unlink(beside)
    throw failure
  }
}
