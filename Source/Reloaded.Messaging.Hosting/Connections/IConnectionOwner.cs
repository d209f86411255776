using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>What a connection needs from the peer that it belongs to. No member is called for each message.</summary>
internal interface IConnectionOwner
{
    /// <summary>The connection has ended. Called once, on the thread that ended it.</summary>
    /// <param name="reason">The reason.</param>
    /// <param name="isAside">Whether listeners are called on the thread pool, because the calling thread must not wait for them.</param>
    void OnEnded(DisconnectReason reason, bool isAside);

    /// <summary>Counts an exception of the program's code, and raises the host's event.</summary>
    void ReportFailure(uint type, Exception exception);

    /// <summary>A contract of the remote side differs. Called once for each type.</summary>
    void ReportMismatch(ContractMismatch mismatch);

    /// <summary>Ends the host's connection with the most bytes that wait to be sent.</summary>
    /// <param name="than">The bytes that the connection exceeds.</param>
    /// <returns><c>false</c> if no connection has more.</returns>
    bool EndLargestBacklog(int than);

    /// <summary>Returns that the host was disposed, as a sentence, or <c>null</c> if it was not.</summary>
    string? DescribeDisposal();
}
