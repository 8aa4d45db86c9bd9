import Testing

@testable import Bus

struct TopicFilterTests {
    private static let topics = [
        "bio/heart-rate/me", "bio/heart-rate2/me", "bio/heart-rate", "bio/rr/me", "bio", "biology/x", "music/now/me",
        "music/now/you", "sys/heartbeat/hub", "state/vector/", "",
    ]

    @Test func `many subscriptions match as few do, topic by topic`() {
        let wanted = ["bio/heart-rate", "music/now/me", "sys/", "state/vector", "bio"]
        let noise = (0..<3000).map { "input/mood/listener-\($0)" }
        for subscription in wanted + ["", "bio/", "music"] {
            let few = TopicFilter([subscription])
            let many = TopicFilter(noise + [subscription])
            for topic in Self.topics { #expect(many.matches(topic) == few.matches(topic), "\(subscription) \(topic)") }
        }
        // By hand, for both.
        #expect(TopicFilter(noise + ["bio/heart-rate"]).matches("bio/heart-rate/me"))
        #expect(!TopicFilter(noise + ["bio/heart-rate"]).matches("bio/heart-rate2/me"))
        #expect(TopicFilter(noise).matches("input/mood/listener-2999") && !TopicFilter(noise).matches("input/mood/me"))
    }
}
