using Reloaded.Messaging.Tests.Generated;

namespace Reloaded.Messaging.Tests.Hostile;

/// <summary>Every sample message, with values in which much or little is set.</summary>
internal static class GeneratedTargets
{
    public static List<GeneratedTarget> Make() =>
    [
        new GeneratedTarget<Shift>(new Shift(1, 2, 3)),
        new GeneratedTarget<Scalars>(RoundTripTests.SomeScalars),
        new GeneratedTarget<Everything>(SampleValues.FullEverything(), new Everything()),
        new GeneratedTarget<Figure>(new Circle(1), new Square(2), new Square(3, "blue")),
        new GeneratedTarget<Circle>(new Circle(1)),
        new GeneratedTarget<Square>(new Square(1), new Square(2, new string('x', 200))),
        new GeneratedTarget<Tolerant>(new Tolerant(1, "text", [1, 2]), new Tolerant(2, "", null)),
        new GeneratedTarget<Notification>(new Notification { Id = 1, Value = 2 }),
        new GeneratedTarget<NotificationBatch>(PooledMessageTests.Batch(3), PooledMessageTests.Batch(0)),
        new GeneratedTarget<PooledNest>(SampleValues.FullNest(), new PooledNest()),
        new GeneratedTarget<Login>(new Login { User = "ada", Token = [1, 2, 3] }),
        new GeneratedTarget<PooledLogin>(new PooledLogin { User = "ada", Token = [1, 2, 3] }),
        new GeneratedTarget<Report>(new Report("a report")),
        new GeneratedTarget<Mixed>(new Mixed { Small = 1, Large = 2 }),
        new GeneratedTarget<Chain>(Chain.Of(3), Chain.Of(63)),
        new GeneratedTarget<TolerantChain>(TolerantChain.Of(3), TolerantChain.Of(31)),
        new GeneratedTarget<SettingsV2>(new SettingsV2 { Bare = "", Bytes = [1], Map = new() { ["a"] = 1 } }),
        new GeneratedTarget<RecordV2>(new RecordV2("name", Numbers: [1, 2])),
        new GeneratedTarget<LooseV2>(new LooseV2("title", [1, 2], 3)),
        new GeneratedTarget<ShelfV1>(new ShelfV1([new SettingsV1 { Name = "a" }, new SettingsV1 { Size = 1 }], 1)),
        new GeneratedTarget<NullablesForm>(new NullablesForm([1, null, 3])),
        new GeneratedTarget<MessagesForm>(new MessagesForm([new Shift(1, 2, 3), default])),
        new GeneratedTarget<DictionaryForm>(new DictionaryForm(new() { ["a"] = 1, ["b"] = 2 })),
        new GeneratedTarget<DateTimeOffsetForm>(new DateTimeOffsetForm(RoundTripTests.SomeScalars.Moment)),
        new GeneratedTarget<StringForm>(new StringForm("Grüße, 世界 🎮")),
        new GeneratedTarget<PageForm>(new PageForm(new([new Square(1), new Square(2)], 5))),
        new GeneratedTarget<Hidden>(new Hidden(3), Hidden.With(new Hidden(2, "b"), null)),
        new GeneratedTarget<ClosedForms>(ClosedForms.Some),
        new GeneratedTarget<INoise>(new Bell { Pitch = 440 }),
        new GeneratedTarget<ISound>(new Beep(440, 2), new Melody("scale", new Melody("", new Beep(1, 2)))),
        new GeneratedTarget<IPerhapsSecret>(new HoldsLogin(new Login()), new Plain(3)),
        new GeneratedTarget<HoldsLogins>(new HoldsLogins(new() { ["a"] = [new Login(), null] })),
        new GeneratedTarget<Heavy>(new Heavy { Maps = [new() { [1] = 2 }], Texts = ["a"], Wides = [null, default(Wide)], Maybes = [null, default(WideMessage)], Inner = [new Heavy()] }),
    ];
}
