namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>A pump's state: adds up what arrives, and who sent it.</summary>
public struct SumState : IPumpState<int>
{
    public long Sum;

    public void SetSender(int sender) => Sum += sender;
}
