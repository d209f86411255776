namespace Reloaded.Messaging.Tests.Hostile;

/// <summary>One thread's share of the attack, and what came of it.</summary>
internal sealed class HostileRun
{
    private const int FallbackShare = 4; // one input in so many goes to the dispatcher that has a fallback

    private readonly ReadCounter _counter = new();
    private readonly HostileTargets _targets;
    private readonly MessageDispatcher<long> _plain;
    private readonly MessageDispatcher<long> _withFallback;
    private readonly HostileInputs _inputs;
    private readonly ulong _seed;
    private long _calls;

    public HostileRun(ulong seed)
    {
        _seed = seed;
        _targets = new HostileTargets(_counter);
        _plain = MakeDispatcher();
        _withFallback = MakeDispatcher();
        _withFallback.RegisterFallback(static (in header, payload, ref calls) => calls++);
        _inputs = new HostileInputs(HostileSeed.Pack(_targets), seed);
    }

    public long[] Statuses { get; } = new long[Enum.GetValues<DispatchStatus>().Length];

    public long Inputs { get; private set; }

    public long Reads => _counter.Reads;

    public long MostAllocated { get; private set; }

    public string MostAllocatedInput { get; private set; } = "";

    public long CountOf(DispatchStatus status) => _plain.GetCount(status) + _withFallback.GetCount(status);

    public void Go(long inputs)
    {
        for (long i = 0; i < inputs; i++)
            Receive(i % FallbackShare == 0 ? _withFallback : _plain, _inputs.Next());
    }

    /// <summary>Gets what is allocated once out of the way, on the thread that measures: generated JSON metadata, exception texts, buffers.</summary>
    public void WarmUp()
    {
        var dispatcher = MakeDispatcher();
        var inputs = new HostileInputs(HostileSeed.Pack(_targets), _seed + 1);
        long calls = 0;
        for (var i = 0; i < 3000; i++)
            dispatcher.Dispatch(inputs.Next(), ref calls);
        _counter.Reads = 0;
    }

    private MessageDispatcher<long> MakeDispatcher()
    {
        var dispatcher = new MessageDispatcher<long>(HostileTargets.Limits);
        foreach (var target in _targets.All)
            target.Register(dispatcher);
        return dispatcher;
    }

    private void Receive(MessageDispatcher<long> dispatcher, ReadOnlySpan<byte> input)
    {
        var calls = _calls;
        var allocated = GC.GetAllocatedBytesForCurrentThread();
        DispatchStatus status;
        try
        {
            status = dispatcher.Dispatch(input, ref _calls);
        }
        catch (Exception escaped)
        {
            throw new InvalidOperationException($"Seed {_seed}, input {Inputs}: {Convert.ToHexString(input)} threw.", escaped);
        }

        allocated = GC.GetAllocatedBytesForCurrentThread() - allocated;
        if (allocated > MostAllocated)
        {
            MostAllocated = allocated;
            MostAllocatedInput = Convert.ToHexString(input);
        }

        var called = _calls - calls;
        var expected = status is DispatchStatus.Handled or DispatchStatus.HandledByFallback ? 1 : 0;
        if (called != expected)
            throw new InvalidOperationException($"Seed {_seed}, input {Inputs}: {Convert.ToHexString(input)} is {status} and called {called} handlers.");

        Statuses[(int)status]++;
        Inputs++;
    }
}
