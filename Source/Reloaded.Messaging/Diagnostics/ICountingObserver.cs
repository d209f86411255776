namespace Reloaded.Messaging;

/// <summary>An object that behaves differently while messages are counted.</summary>
internal interface ICountingObserver
{
    /// <summary>Called when <see cref="OnDemandCounters.IsOn"/> has changed. Any thread; must not call back.</summary>
    void OnCountingChanged();
}
