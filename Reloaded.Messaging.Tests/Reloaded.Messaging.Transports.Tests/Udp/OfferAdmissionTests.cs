using System.Linq;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>Key offers of clients and of programs that have the token and flood the server, in virtual time.</summary>
public sealed class OfferAdmissionTests
{
    private const int FirstClient = 1_000_000; // the sources before it are those of the flood
    private static readonly TimeSpan s_exchange = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan s_step = TimeSpan.FromMilliseconds(0.05);

    private readonly OfferAdmission _admission = new();
    private readonly Queue<WorkShare> _waiting = new();
    private TimeSpan _now;
    private TimeSpan _worked;
    private TimeSpan _freeAt;

    [Theory]
    [InlineData(1)]
    [InlineData(1000)]
    public void Client_at_a_new_address_is_answered_at_once_in_a_flood(int addresses)
    {
        Flood(addresses, TimeSpan.FromSeconds(1.5)); // each address is new once
        var (begun, worked, refused) = (_now, _worked, 0);
        for (var client = FirstClient; client < FirstClient + 200; client++)
        {
            refused += TryAdd(client) ? 0 : 1;
            Flood(addresses, TimeSpan.FromMilliseconds(50));
        }

        Assert.Equal(0, refused);
        Assert.InRange(_worked - worked, 2 * (_now - begun) / WorkShare.Factor * 0.9, (2 * (_now - begun) / WorkShare.Factor) + OfferAdmission.BurstOfNew);
    }

    /// <summary>A player who joins again is not new. Neither do new players exclude it, nor does it exclude them.</summary>
    [Theory]
    [InlineData(20_000, 4)]
    [InlineData(500, 4)]
    [InlineData(4, 20_000)]
    [InlineData(20_000, 20_000)]
    public void Sources_that_are_new_and_those_that_are_not_do_not_exclude_each_other(int newPerSecond, int othersPerSecond)
    {
        const int Other = 1, Seconds = 20;
        Assert.True(TryAdd(Other));
        int[] admitted = [0, 0];
        var (nextNew, nextOther, client) = (TimeSpan.Zero, TimeSpan.Zero, FirstClient);
        while (_now < TimeSpan.FromSeconds(Seconds))
        {
            Work();
            if (_now >= nextNew)
                (nextNew, admitted[0]) = (nextNew + TimeSpan.FromSeconds(1.0 / newPerSecond), admitted[0] + (TryAdd(client++) ? 1 : 0));
            if (_now >= nextOther)
                (nextOther, admitted[1]) = (nextOther + TimeSpan.FromSeconds(1.0 / othersPerSecond), admitted[1] + (TryAdd(Other) ? 1 : 0));
        }

        var most = TimeSpan.FromSeconds(Seconds) / s_exchange / WorkShare.Factor;
        Assert.True(admitted[0] >= 0.9 * Math.Min(most, Seconds * newPerSecond), $"{admitted[0]} offers of new sources were admitted.");
        Assert.True(admitted[1] >= 0.9 * Math.Min(most, Seconds * othersPerSecond), $"{admitted[1]} offers of the source that is not new were admitted.");
    }

    [Fact]
    public void Half_that_nobody_uses_is_used_by_the_other_sources()
    {
        Flood(1, TimeSpan.FromSeconds(20));

        var bursts = (OfferAdmission.BurstOfNew / 2) + OfferAdmission.BurstOfOthers;
        Assert.InRange(_worked, (2 * _now / WorkShare.Factor) + (0.9 * bursts), (2 * _now / WorkShare.Factor) + (1.1 * bursts));
    }

    [Fact]
    public void Server_that_was_started_again_answers_a_thousand_clients_at_once()
    {
        var clients = Enumerable.Range(FirstClient, 1000).ToList();
        while (_now < 1.2 * 1000 * s_exchange)
        {
            Work();
            clients.RemoveAll(TryAdd);
        }

        Assert.Empty(clients);
    }

    [Fact]
    public void Sources_that_are_remembered_are_bounded()
    {
        for (var source = 0; source < 100_000; source++)
            _ = _admission.Add(BitConverter.GetBytes(source), _now);

        TakeTimeOf(BitConverter.GetBytes(1));
        Assert.False(_admission.HasRoom(BitConverter.GetBytes(200_000), 0, _now)); // it would have room if it were new
    }

    [Fact]
    public void Source_is_new_again_after_a_time()
    {
        var source = BitConverter.GetBytes(7);
        TakeTimeOf(source);
        Assert.False(_admission.HasRoom(source, 0, _now));
        Assert.True(_admission.HasRoom(BitConverter.GetBytes(8), 0, _now));

        _now += 2 * OfferAdmission.Memory;
        TakeTimeOf(BitConverter.GetBytes(9));
        Assert.True(_admission.HasRoom(source, 0, _now));
    }

    /// <summary>Adds an offer of a new source, and then so much work of it that all time of the sources that are not new is used.</summary>
    private void TakeTimeOf(byte[] source)
    {
        _ = _admission.Add(source, _now);
        for (var i = 0; i < 2; i++)
            _admission.Add(source, _now).Note(_now, _now + (0.75 * OfferAdmission.BurstOfNew));
    }

    /// <summary>Offers keys of all addresses in turn, 20,000 a second.</summary>
    private void Flood(int addresses, TimeSpan time)
    {
        for (var (end, address) = (_now + time, 0); _now < end; address = (address + 1) % addresses)
        {
            _ = TryAdd(address);
            Work();
        }
    }

    private void Work()
    {
        _now += s_step;
        if (_waiting.Count == 0 || _freeAt > _now)
            return;
        _freeAt = _now + s_exchange; // one thread works
        _worked += s_exchange;
        _waiting.Dequeue().Note(_now, _freeAt);
    }

    private bool TryAdd(int source)
    {
        var bytes = BitConverter.GetBytes(source);
        if (!_admission.HasRoom(bytes, _waiting.Count, _now))
            return false;
        _waiting.Enqueue(_admission.Add(bytes, _now));
        return true;
    }
}
