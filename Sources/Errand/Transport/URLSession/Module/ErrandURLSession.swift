// Programs for Linux and Apple platforms import the same module.
@_exported public import Errand

#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
