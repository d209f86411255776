using System;
using System.Collections.Generic;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>A flood of key offers of programs that have the token, in virtual time.</summary>
public sealed class OfferAdmissionTests
{
    private static readonly TimeSpan s_exchange = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan s_step = TimeSpan.FromMilliseconds(0.05);

    private readonly OfferAdmission _admission = new();
    private readonly Queue<int> _waiting = new();
    private TimeSpan _now;
    private TimeSpan _worked;
    private TimeSpan _freeAt;

    [Theory]
    [InlineData(1)]
    [InlineData(1000)]
    public void Client_at_a_new_address_is_answered_at_once_in_a_flood(int addresses)
    {
        const int FirstClient = 1_000_000;
        Flood(addresses, TimeSpan.FromSeconds(6)); // each address is new once
        var (begun, worked, refused) = (_now, _worked, 0);
        for (var client = FirstClient; client < FirstClient + 200; client++)
        {
            refused += TryAdd(client) ? 0 : 1; // clients whose hash is that of an address of the flood
            Flood(addresses, TimeSpan.FromMilliseconds(50));
        }

        Assert.InRange(refused, 0, 40);
        Assert.InRange(_worked - worked, (_now - begun) / WorkShare.Factor * 0.9, ((_now - begun) / WorkShare.Factor) + WorkShare.Burst);
    }

    [Fact]
    public void Source_is_new_again_after_a_time()
    {
        var source = BitConverter.GetBytes(7);
        var isRefused = WorkShare.Burst * 0.75 / WorkShare.Factor; // the work from which only new sources have room
        _admission.NoteWork(_now, isRefused);
        Assert.True(_admission.HasRoom(source, 0, _now));
        _admission.NoteAdded(source, _now);
        Assert.False(_admission.HasRoom(source, 0, _now));

        _now += OfferAdmission.Memory;
        _admission.NoteWork(_now, _now + isRefused);
        Assert.True(_admission.HasRoom(source, 0, _now));
    }

    /// <summary>Offers keys of all addresses in turn, 20,000 a second.</summary>
    private void Flood(int addresses, TimeSpan time)
    {
        for (var (end, address) = (_now + time, 0); _now < end; address = (address + 1) % addresses)
        {
            _ = TryAdd(address);
            _now += s_step;
            if (_waiting.Count == 0 || _freeAt > _now)
                continue;
            _waiting.Dequeue(); // one thread works
            _freeAt = _now + s_exchange;
            _worked += s_exchange;
            _admission.NoteWork(_now, _freeAt);
        }
    }

    private bool TryAdd(int source)
    {
        var bytes = BitConverter.GetBytes(source);
        if (!_admission.HasRoom(bytes, _waiting.Count, _now))
            return false;
        _admission.NoteAdded(bytes, _now);
        _waiting.Enqueue(source);
        return true;
    }
}
