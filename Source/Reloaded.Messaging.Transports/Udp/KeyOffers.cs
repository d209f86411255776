using System;
using System.Net;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>The key offers that wait for an answer. They are answered one after the other on the thread pool, so that an exchange of keys does not delay the datagrams of connected peers.</summary>
/// <remarks>
/// Unauthenticated senders cause this work, so the number of waiting offers and the time of the work are limited. An offer above a limit is not added; the client sends it again.
/// One thread adds offers, the one that receives.
/// </remarks>
internal sealed class KeyOffers
{
    /// <summary>The maximum number of offers that wait.</summary>
    public const int MaxWaiting = 32;

    private readonly Channel<KeyOffer> _waiting = Channel.CreateBounded<KeyOffer>(MaxWaiting);
    private readonly WorkShare _share = new();
    private readonly TimeProvider _time;
    private readonly Action<KeyOffer> _answer;
    private readonly Action<Exception> _failed;
    private readonly long _begun;

    /// <param name="time">Measures the work.</param>
    /// <param name="answer">Answers an offer.</param>
    /// <param name="failed">Receives an exception of <paramref name="answer"/>.</param>
    public KeyOffers(TimeProvider time, Action<KeyOffer> answer, Action<Exception> failed)
    {
        (_time, _answer, _failed, _begun) = (time, answer, failed, time.GetTimestamp());
        _ = Detached.Run(AnswerAsync);
    }

    /// <summary>Whether an offer can be added: neither the number of waiting offers nor the time of the work is at its limit.</summary>
    public bool HasRoom => _waiting.Reader.Count < MaxWaiting && _share.HasTime(Now);

    private TimeSpan Now => _time.GetElapsedTime(_begun);

    /// <summary>Adds an offer, after <see cref="HasRoom"/>.</summary>
    /// <returns><see langword="false"/> after <see cref="Complete"/>; otherwise, <see langword="true"/>.</returns>
    public bool TryAdd(KeyOffer offer) => _waiting.Writer.TryWrite(offer);

    /// <summary>Adds no more offers. The offers that wait are still passed on.</summary>
    public void Complete() => _waiting.Writer.TryComplete();

    private async Task AnswerAsync()
    {
        while (await _waiting.Reader.WaitToReadAsync().ConfigureAwait(false))
        {
            while (_waiting.Reader.TryRead(out var offer))
                Answer(offer);
        }
    }

    private void Answer(KeyOffer offer)
    {
        try
        {
            var start = Now;
            _answer(offer);
            _share.Note(start, Now);
        }
        catch (Exception e)
        {
            _failed(e);
        }
    }
}

/// <summary>An offer of a client whose address was verified.</summary>
/// <param name="Id">The id of the connection.</param>
/// <param name="Random">The random bytes of the client.</param>
/// <param name="Offer">The offer.</param>
/// <param name="From">The address of the client.</param>
internal sealed record KeyOffer(ulong Id, byte[] Random, byte[] Offer, SocketAddress From);

/// <summary>Limits work to a fifth of the time of one processor, by the measured time. One thread notes work, and other threads may ask.</summary>
internal sealed class WorkShare
{
    /// <summary>The time that must pass for each unit of work.</summary>
    public const int Factor = 5;

    /// <summary>The time by which the work may be ahead of its share.</summary>
    public static readonly TimeSpan Burst = TimeSpan.FromSeconds(1);

    private long _balancedAt; // the time at which the noted work is its share, in ticks

    /// <summary>Whether the work until now is within its share.</summary>
    public bool HasTime(TimeSpan now) => Volatile.Read(ref _balancedAt) - now.Ticks <= Burst.Ticks;

    /// <summary>Records work.</summary>
    public void Note(TimeSpan start, TimeSpan end) => Volatile.Write(ref _balancedAt, Math.Max(_balancedAt, start.Ticks) + (Factor * (end - start).Ticks));
}
