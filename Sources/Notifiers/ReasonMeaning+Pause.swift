internal import Core

extension ReasonMeaning {
    /// Returns the meaning of a reason that has paused its notifier. A rejection that may be the fault of one device pauses the notifier
    /// only after the provider has rejected many devices for this reason, so a single device cannot be the cause.
    package func asPause(_ reason: String, _ source: ReasonSource) -> ReasonMeaning {
        guard remedy?.english.hasPrefix(Self.openApp.english) == true else { return self }
        return ReasonMeaning(
            "the provider refuses many devices, as if they belonged to another app or project",
            "провайдер отказывает многим устройствам, будто они от другого приложения или проекта", do: source.doubtRemedy(reason))
    }
}
