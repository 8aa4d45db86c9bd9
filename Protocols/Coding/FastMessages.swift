// The hot messages. Members are written in the order of their keys' bytes.

extension HeartRate: FastMessage {
    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("at", at)
            $0.member("bpm", bpm)
            $0.member("quality", quality)
            $0.member("source", source)
        }
    }

    package init?(from json: inout JSONCursor) {
        var (at, bpm, quality, source): (Timestamp?, Double?, Double?, String?)
        json.object {
            $0.take("at", &at) || $0.take("bpm", &bpm) || $0.take("quality", &quality) || $0.take("source", &source)
        }
        guard json.isGood, let at, let bpm, let quality, let source else { return nil }
        self.init(at: at, bpm: bpm, quality: quality, source: source)
    }
}

extension RRIntervals: FastMessage {
    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("gapBefore", gapBefore)
            $0.member("quality", quality)
            $0.member("rrMs", rrMs)
            $0.member("source", source)
            $0.member("startAt", startAt)
        }
    }

    package init?(from json: inout JSONCursor) {
        var (startAt, rrMs, gapBefore): (Timestamp?, [Double]?, Bool?)
        var (quality, source): (Double?, String?)
        json.object {
            $0.take("gapBefore", &gapBefore) || $0.take("quality", &quality) || $0.take("rrMs", &rrMs)
                || $0.take("source", &source) || $0.take("startAt", &startAt)
        }
        guard json.isGood, let startAt, let rrMs, let gapBefore, let quality, let source else { return nil }
        self.init(startAt: startAt, rrMs: rrMs, gapBefore: gapBefore, quality: quality, source: source)
    }
}

extension Motion: FastMessage {
    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("activity", activity)
            $0.member("at", at)
            $0.member("cadencePerMinute", cadencePerMinute)
            $0.member("intensity", intensity)
            $0.member("steps", steps)
        }
    }

    package init?(from json: inout JSONCursor) {
        var (at, intensity, cadence): (Timestamp?, Double?, Double?)
        var (steps, activity): (Int?, Open<MotionActivity>?)
        json.object {
            $0.take("activity", &activity) || $0.take("at", &at) || $0.take("cadencePerMinute", &cadence)
                || $0.take("intensity", &intensity) || $0.take("steps", &steps)
        }
        guard json.isGood, let at, let intensity, let steps, let activity else { return nil }
        self.at = at
        self.intensity = intensity
        self.cadencePerMinute = cadence
        self.steps = steps
        self.activity = activity
    }
}

extension BioBatch: FastMessage {
    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("heartRate", heartRate)
            $0.member("motion", motion)
            $0.member("rr", rr)
        }
    }

    package init?(from json: inout JSONCursor) {
        var (heartRate, rr, motion): ([HeartRate]?, [RRIntervals]?, [Motion]?)
        json.object { $0.take("heartRate", &heartRate) || $0.take("motion", &motion) || $0.take("rr", &rr) }
        guard json.isGood, let heartRate, let rr, let motion else { return nil }
        self.init(heartRate: heartRate, rr: rr, motion: motion)
    }
}

extension Progress: FastMessage {
    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("playing", playing)
            $0.member("positionMs", positionMs)
            $0.member("volume", volume)
        }
    }

    package init?(from json: inout JSONCursor) {
        var (positionMs, playing, volume): (Int64?, Bool?, Double?)
        json.object {
            $0.take("playing", &playing) || $0.take("positionMs", &positionMs) || $0.take("volume", &volume)
        }
        guard json.isGood, let positionMs, let playing, let volume else { return nil }
        self.init(positionMs: positionMs, playing: playing, volume: volume)
    }
}

extension SourceAge: FastValue {
    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("ageSeconds", ageSeconds)
            $0.member("confidence", confidence)
            $0.member("name", name)
        }
    }

    package init?(from json: inout JSONCursor) {
        var (name, ageSeconds, confidence): (String?, Double?, Double?)
        json.object {
            $0.take("ageSeconds", &ageSeconds) || $0.take("confidence", &confidence) || $0.take("name", &name)
        }
        guard json.isGood, let name, let ageSeconds, let confidence else { return nil }
        self.init(name: name, ageSeconds: ageSeconds, confidence: confidence)
    }
}

extension StateVector: FastMessage {
    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("activityContext", activityContext)
            $0.member("arousal", arousal)
            $0.member("at", at)
            $0.member("bpm", bpm)
            $0.member("confidence", confidence)
            $0.member("energy", energy)
            $0.member("focus", focus)
            $0.member("need", need)
            $0.member("sources", sources)
            $0.member("stress", stress)
            $0.member("stressGate", stressGate)
            $0.member("valence", valence)
        }
    }

    package init?(from json: inout JSONCursor) {
        var (at, bpm, confidence, sources): (Timestamp?, Double?, Double?, [SourceAge]?)
        var (arousal, energy, focus): (Double?, Double?, Double?)
        var (stress, valence): (Double?, Double?)
        var (activityContext, need, gate): (Open<ActivityContext>?, Open<MusicNeed>?, Open<StressGate>?)
        json.object {
            $0.take("activityContext", &activityContext) || $0.take("arousal", &arousal) || $0.take("at", &at)
                || $0.take("bpm", &bpm) || $0.take("confidence", &confidence) || $0.take("energy", &energy)
                || $0.take("focus", &focus) || $0.take("need", &need) || $0.take("sources", &sources)
                || $0.take("stress", &stress) || $0.take("stressGate", &gate) || $0.take("valence", &valence)
        }
        guard json.isGood, let at, let arousal, let energy, let focus, let stress, let valence, let activityContext,
            let need, let confidence, let sources
        else { return nil }
        self.at = at
        self.arousal = arousal
        self.energy = energy
        self.focus = focus
        self.stress = stress
        self.valence = valence
        self.activityContext = activityContext
        self.need = need
        self.confidence = confidence
        self.sources = sources
        self.stressGate = gate
        self.bpm = bpm
    }
}

extension VirtualNow: FastMessage {
    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("nowAt", nowAt)
            $0.member("rate", rate)
            $0.member("step", step)
        }
    }

    package init?(from json: inout JSONCursor) {
        var (nowAt, step, rate): (Timestamp?, UInt64?, Double?)
        json.object { $0.take("nowAt", &nowAt) || $0.take("rate", &rate) || $0.take("step", &step) }
        guard json.isGood, let nowAt, let step, let rate else { return nil }
        self.init(nowAt: nowAt, step: step, rate: rate)
    }
}

extension ClockStep: FastMessage {
    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("process", process)
            $0.member("step", step)
        }
    }

    package init?(from json: inout JSONCursor) {
        var (process, step): (ProcessName?, UInt64?)
        json.object { $0.take("process", &process) || $0.take("step", &step) }
        guard json.isGood, let process, let step else { return nil }
        self.init(process: process, step: step)
    }
}

extension EventAck: FastMessage {
    package func write(to json: inout JSONWriter) { json.object { $0.member("by", by) } }

    package init?(from json: inout JSONCursor) {
        var by: [ProcessName]?
        json.object { $0.take("by", &by) }
        guard json.isGood, let by else { return nil }
        self.init(by: by)
    }
}
extension Heartbeat: FastMessage {
    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("conditions", conditions)
            $0.member("drops", drops)
            $0.member("ended", ended)
            $0.member("epoch", epoch)
            $0.member("lastSequence", lastSequence)
            $0.member("loopLagMs", loopLagMs)
            $0.member("lostByTopic", lostByTopic)
            $0.member("pid", pid)
            $0.member("process", process)
            $0.member("queueDepths", queueDepths)
            $0.member("ready", ready)
            $0.member("version", version)
        }
    }

    package init?(from json: inout JSONCursor) {
        var (process, pid, version, epoch): (ProcessName?, Int32?, String?, UInt64?)
        var (loopLagMs, ready): (Double?, Bool?)
        var (queueDepths, drops, lastSequence): ([String: Int]?, [String: UInt64]?, [String: UInt64]?)
        var (lostByTopic, conditions): ([String: [String: UInt64]]?, [String: Open<TopicCondition>]?)
        var ended: [StreamPosition]?
        json.object {
            $0.take("drops", &drops) || $0.take("epoch", &epoch) || $0.take("lastSequence", &lastSequence)
                || $0.take("loopLagMs", &loopLagMs) || $0.take("pid", &pid) || $0.take("process", &process)
                || $0.take("queueDepths", &queueDepths) || $0.take("ready", &ready) || $0.take("version", &version)
                || $0.take("lostByTopic", &lostByTopic) || $0.take("conditions", &conditions)
                || $0.take("ended", &ended)
        }
        guard json.isGood, let process, let pid, let version, let epoch, let loopLagMs, let ready, let queueDepths,
            let drops, let lastSequence
        else { return nil }
        self.init(
            process: process, pid: pid, version: version, epoch: epoch, loopLagMs: loopLagMs,
            queueDepths: queueDepths, drops: drops, lastSequence: lastSequence, ready: ready, lostByTopic: lostByTopic,
            conditions: conditions, ended: ended)
    }
}

extension StreamPosition: FastValue {
    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("epoch", epoch)
            $0.member("sequence", sequence)
            $0.member("topic", topic)
        }
    }

    package init?(from json: inout JSONCursor) {
        var (topic, epoch, sequence): (String?, UInt64?, UInt64?)
        json.object {
            $0.take("topic", &topic) || $0.take("epoch", &epoch) || $0.take("sequence", &sequence)
        }
        guard json.isGood, let topic, let epoch, let sequence else { return nil }
        self.init(topic: topic, epoch: epoch, sequence: sequence)
    }
}
