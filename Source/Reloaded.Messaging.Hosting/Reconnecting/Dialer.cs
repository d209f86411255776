using System;
using System.IO;
using System.Runtime.ExceptionServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>Where a client connects to, and when it tries again.</summary>
internal sealed class Dialer(MessageEndpoint endpoint, MessageHostOptions options)
{
    private int _attempts;
    private TimeSpan _delay = options.Reconnect?.FirstDelay ?? default;

    public MessageEndpoint Endpoint { get; private set; } = endpoint;

    /// <summary>What the transports of all connections get from the host.</summary>
    public TransportContext Context { get; } = options.MakeTransportContext();

    /// <summary>Connects, once.</summary>
    /// <returns>The channel, and the token that the server wants to be shown.</returns>
    public async ValueTask<(TransportChannel Channel, ReadOnlyMemory<byte> Token)> DialAsync(CancellationToken cancellationToken)
    {
        try
        {
            var channel = await Endpoint.ConnectAsync(Context, cancellationToken).ConfigureAwait(false);
            return (channel, options.Token.IsEmpty ? channel.Token : options.Token);
        }
        catch (TransportClosedException e) when (e.Reason is TransportCloseReason.WrongProtection or TransportCloseReason.LockedOut)
        {
            throw new HandshakeException(e.Reason.ToDisconnectReason(), Endpoint.ToString()); // the server was reached, and refused
        }
    }

    /// <summary>Connects, as often as the policy has it.</summary>
    public async Task<(TransportChannel Channel, ReadOnlyMemory<byte> Token)> DialUntilReachedAsync(CancellationToken cancellationToken)
    {
        ExceptionDispatchInfo? failure = null;
        while (true)
        {
            try
            {
                if (failure is null || await TryAgainAsync(failure.SourceException, cancellationToken).ConfigureAwait(false))
                    return await DialAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e) when (options.Reconnect is not null && IsTransient(e))
            {
                failure = ExceptionDispatchInfo.Capture(e); // an exception of NextEndpoint is a failed attempt as well
                continue;
            }

            failure.Throw(); // the policy gives up
        }
    }

    /// <summary>Waits until it is time to try again, and asks where.</summary>
    /// <returns>False to give up.</returns>
    public async Task<bool> TryAgainAsync(Exception failure, CancellationToken cancellationToken)
    {
        if (options.Reconnect is not { } policy)
            return false;
        _attempts++;
        await Task.Delay(_delay * (1 + (policy.Jitter * ((2 * Random.Shared.NextDouble()) - 1))), cancellationToken).ConfigureAwait(false);
        _delay = _delay * 2 > policy.MaxDelay ? policy.MaxDelay : _delay * 2;
        if (policy.NextEndpoint is not { } next)
            return true;
        if (await next(new ReconnectAttempt(_attempts, Endpoint, failure)).AsTask().WaitAsync(cancellationToken).ConfigureAwait(false) is not { } found)
            return false;
        if (found.LengthPrefix != Endpoint.LengthPrefix)
            throw new InvalidOperationException($"ReconnectOptions.NextEndpoint returned {found} with the prefix {found.LengthPrefix}, and the client speaks {Endpoint.LengthPrefix}. Return an endpoint with the same MessageEndpoint.LengthPrefix.");
        Endpoint = found;
        return true;
    }

    /// <summary>Begins anew after a connection that lasted. One that is refused as soon as it is made must not be tried without a pause for ever.</summary>
    public void NoteLost(TimeSpan lasted)
    {
        _attempts = 0;
        if (lasted > _delay)
            _delay = options.Reconnect?.FirstDelay ?? default;
    }

    /// <summary>Whether the first connection is tried again after a failure. A wrong token, other contracts and the like are reported to the caller at once.</summary>
    public static bool IsTransient(Exception failure) => failure switch
    {
        HandshakeException refused => IsTransient(refused.Reason),
        TransportClosedException closed => IsTransient(closed.Reason.ToDisconnectReason()),
        _ => MayPass(failure),
    };

    private static bool IsTransient(DisconnectReason reason) => reason is not (
        DisconnectReason.WrongToken or DisconnectReason.WrongContract or DisconnectReason.WrongVersion or
        DisconnectReason.WrongProtection or DisconnectReason.TlsFailed or DisconnectReason.NotAPeer);

    /// <summary>Whether a failure may be another one later: the rest are mistakes of the program's.</summary>
    public static bool MayPass(Exception failure) => failure is IOException or HandshakeException;
}
