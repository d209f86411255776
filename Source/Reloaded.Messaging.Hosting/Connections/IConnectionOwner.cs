using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>The calls of a connection to its peer. No member is called for each message.</summary>
internal interface IConnectionOwner
{
    /// <summary>The endpoint of the host, for metrics and spans.</summary>
    string EndpointTag { get; }

    /// <summary>Counts an exception of a listener of spans or durations, and raises the host's event.</summary>
    Action<Exception> ObserverFailed { get; }

    /// <summary>Notifies the owner that the connection has ended. Called once, on the thread that ended the connection.</summary>
    /// <param name="reason">The reason.</param>
    /// <param name="defersEvents">Whether to raise events on the thread pool, because the calling thread must not wait for them.</param>
    void OnEnded(DisconnectReason reason, bool defersEvents);

    /// <summary>Notifies the owner that the channel of the connection is disposed. Called once.</summary>
    /// <param name="lostByChannel">The number of messages that the channel accepted and whose arrival was not confirmed.</param>
    /// <param name="defersEvents">Whether to raise events on the thread pool, because the calling thread must not wait for them.</param>
    void OnFreed(int lostByChannel, bool defersEvents);

    /// <summary>Counts an exception of the program's code, and raises the host's event.</summary>
    void ReportFailure(uint type, Exception exception);

    /// <summary>Reports a contract of the remote side that differs. Called once for each type.</summary>
    void ReportMismatch(ContractMismatch mismatch);

    /// <summary>Ends the connection of the host with the most pending bytes.</summary>
    /// <param name="than">The number of bytes that the connection must exceed.</param>
    /// <returns><c>false</c> if no connection has more bytes; otherwise, <c>true</c>.</returns>
    bool EndLargestBacklog(int than);

    /// <summary>Returns a sentence that says that the host was disposed, or <c>null</c> if it was not disposed.</summary>
    string? DescribeDisposal();
}
