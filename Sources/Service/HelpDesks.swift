internal import HelpDesk
internal import Pyrus
internal import Sendbird

extension HelpDesk {
    /// The help desks that are served, one for each `HelpDeskKind`.
    static let all: [HelpDesk] = [.pyrus, .sendbird]
}
