namespace Reloaded.Messaging;

/// <summary>A dispatcher's state that receives the sender of each message before the message is dispatched.</summary>
/// <typeparam name="TSender">The type of the sender that producers enqueue with each message.</typeparam>
public interface IPumpState<TSender>
{
    /// <summary>Called before each message, on the pumping thread.</summary>
    void SetSender(TSender sender);
}
