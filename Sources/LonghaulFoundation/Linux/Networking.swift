// `URLRequest`, which belongs to Foundation on Apple systems. The manifest excludes this directory there.
@_exported public import FoundationNetworking
