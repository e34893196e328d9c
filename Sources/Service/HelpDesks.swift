internal import HelpDesk
internal import Pyrus
internal import Sendbird

extension HelpDesk {
    /// The supported help desks, one for each `HelpDeskKind`.
    static let all: [HelpDesk] = [.pyrus, .sendbird]
}
