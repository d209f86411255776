using System;

namespace Reloaded.Messaging;

/// <summary>A timer of a <see cref="TimeProvider"/>. Replaces <c>System.Threading.ITimer</c> of .NET 8.</summary>
public interface ITimer : IDisposable, IAsyncDisposable
{
    /// <summary>Changes the due time and the period.</summary>
    /// <param name="dueTime">The time until the next call.</param>
    /// <param name="period">The time between two calls.</param>
    /// <returns><see langword="true"/> if the timer was changed; <see langword="false"/> if it was disposed.</returns>
    bool Change(TimeSpan dueTime, TimeSpan period);
}
