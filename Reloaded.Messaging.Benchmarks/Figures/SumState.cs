namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>The state of a pump. It adds up the payloads and the senders.</summary>
public struct SumState : IPumpState<int>
{
    public long Sum;

    public void SetSender(int sender) => Sum += sender;
}
