// Programs for Linux and Apple platforms import the same module. On Apple platforms, `Errand` contains the
// files of the folder above.
@_exported public import Errand

// URL loading is part of Foundation on Apple platforms.
#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
