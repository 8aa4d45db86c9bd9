import Protocols

/// Every type that travels.
enum EveryMessage {
    static let types: [any Message.Type] = [
        AddConsumer.self, ConsumerList.self, Consumption.self, DeadLetter.self, DeadLetterContent.self,
        DeadLetterList.self, DropDeadLetter.self, EventNak.self, EventPage.self, ListConsumers.self,
        ListDeadLetters.self, ListEvents.self, RemoveConsumer.self, ReplayDeadLetter.self, ShowDeadLetter.self,
        SpoolReport.self, SpoolStatus.self,
        Art.self, Baseline.self, BioBatch.self, BrainStatus.self, BrainStatusReply.self, CalendarContext.self,
        ClearMood.self, ClockStep.self, ContextStatus.self, ContextStatusReply.self, CorrectSong.self, DJMode.self,
        DecisionMade.self, DeleteData.self, DesktopContext.self, Done.self, EffectList.self, EventAck.self,
        Explain.self, ExportData.self, Exported.self, GetArt.self, GetBaseline.self, GetHRV.self,
        GetPreferences.self, GetProfile.self, GetSeries.self, GetSong.self, Glance.self, HRVReport.self,
        HeartRate.self, Heartbeat.self, History.self, HubPeers.self, HubSnapshot.self, HubWelcome.self,
        ImportLibrary.self, ImportReport.self, LibraryRevision.self, ListEffects.self, ListHistory.self,
        ListPlaylists.self,
        ListSessions.self, ListSongs.self, LiveReplay.self, MoodInput.self, Motion.self, MusicQueue.self,
        NowPlaying.self,
        Nudge.self, Pause.self, PeerHello.self, PickNext.self, Play.self, Played.self,
        PlayerEvent.self, PlayerPause.self, PlayerPlay.self, PlayerPrevious.self, PlayerQueueNext.self,
        PlayerResume.self,
        PlayerSeek.self, PlayerSkip.self, PlayerStatus.self, PlayerStatusQuery.self, PlayerStop.self, PlayerVolume.self,
        PlaylistList.self, PreferenceList.self, Previous.self, ProcessTable.self, Profile.self, Progress.self,
        Propose.self, RRIntervals.self, Refusal.self, ReplayEnd.self, ResetPreferences.self, Resume.self, Roster.self,
        SayContext.self,
        Seek.self, SendNudge.self, Series.self, SessionList.self, SetDJMode.self, SetMood.self,
        SetPreference.self, SetProfile.self, SetVolume.self, ShowQueue.self, Skip.self, SnapshotEnd.self,
        SnapshotReply.self,
        Song.self, SongPage.self, SongReply.self, StateVector.self, StressReading.self, Undo.self,
        UsePlaylists.self, VirtualNow.self, Why.self, WhyNot.self, WhyNotAnswer.self, Workout.self,
    ]
}
