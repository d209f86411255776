namespace Reloaded.Messaging;

/// <summary>A dispatcher's state that is told who sent the message at hand.</summary>
/// <typeparam name="TSender">What producers enqueue beside each message.</typeparam>
public interface IPumpState<TSender>
{
    /// <summary>Called before each message, on the pumping thread.</summary>
    void SetSender(TSender sender);
}
