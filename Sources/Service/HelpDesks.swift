internal import HelpDesk
internal import Pyrus

extension HelpDesk {
    /// The help desks that are served, one for each `HelpDeskKind`.
    static let all: [HelpDesk] = [.pyrus]
}
