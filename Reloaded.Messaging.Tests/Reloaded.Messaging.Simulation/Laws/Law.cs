namespace Reloaded.Messaging.Simulation.Laws;

/// <summary>Checks of laws.</summary>
internal static class Law
{
    /// <summary>Fails the run if a law is broken.</summary>
    public static void Require(bool holds, string law, string message)
    {
        if (holds)
            return;
        var broken = new LawException(law, message);
        World.Note($"broken: {broken.Message}");
        if (World.IsTracing)
            Console.WriteLine(Environment.StackTrace);
        World.Fail(broken);
        throw broken;
    }
}

/// <summary>The laws of a world. docs/internals/testing.md says which promise each of them tests.</summary>
public static class LawNames
{
    public const string ArrivedIsRead = "what has arrived is read";

    public const string Memory = "memory returns";

    public const string FaultSide = "a fault of a stream names the side that failed";

    public const string FileComplete = "a file that ends has all its bytes";

    public const string Layout = "a message is read by the layout that wrote it";

    public const string NoEndlessWait = "no wait without an end";

    public const string NoHonestPeerEnded = "no honest peer is ended";

    public const string NoLock = "no code of the program runs under a lock";

    public const string NothingAfterDisposal = "nothing happens after disposal";

    public const string NothingAfterEnd = "nothing of a peer happens after its end";

    public const string NothingUncounted = "nothing is lost without a count";

    public const string Once = "an event is handled once";

    public const string OnlySent = "only what was sent is handled";

    public const string Order = "events of a peer keep their order";

    public const string PeerLife = "a peer connects once, and ends once after that";

    public const string Process = "code runs in its process";

    public const string Progress = "after the faults, traffic flows";

    public const string Pumped = "a pumped host calls its program in the pump";

    public const string Reconnect = "a client with Reconnect repeats what can pass";

    public const string Reply = "a reply belongs to its request";

    public const string ReportEnd = "no report follows the end of its request";

    public const string ReportLast = "the last report arrives before the reply";

    public const string ReportOrder = "reports of a request keep their order";

    public const string RequestReason = "a request ends for a reason";

    public const string RequestTime = "a request ends within its timeout";

    public const string StreamComplete = "a stream that ends has all its items";

    public const string StreamEnd = "a source ends with its stream";

    public const string StreamLimit = "a peer has at most as many streams as its limit";

    public const string StreamOrder = "items of a stream keep their order";

    public const string StreamWait = "a source waits for its reader";

    public const string WaitingIsSent = "what waits is sent";

    public const string PathIsNotFlooded = "what enters a path is bounded by what it carries";
}

/// <summary>Thrown when a law of the world is broken.</summary>
/// <param name="law">The law.</param>
/// <param name="message">What broke it.</param>
public sealed class LawException(string law, string message) : Exception($"Law \"{law}\": {message}")
{
    /// <summary>The law.</summary>
    public string Law { get; } = law;
}
