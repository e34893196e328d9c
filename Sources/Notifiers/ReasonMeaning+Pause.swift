internal import Core

extension ReasonMeaning {
    /// The meaning of a reason that has paused its notifier. A refusal that may be one device's own fault pauses it only after many devices
    /// were refused for this reason, so no single device is the cause.
    package func asPause(_ reason: String, _ source: ReasonSource) -> ReasonMeaning {
        guard remedy?.english.hasPrefix(Self.openApp.english) == true else { return self }
        return ReasonMeaning(
            "the provider refuses many devices, as if they belonged to another app or project",
            "провайдер отказывает многим устройствам, будто они от другого приложения или проекта", do: source.doubtRemedy(reason))
    }
}
