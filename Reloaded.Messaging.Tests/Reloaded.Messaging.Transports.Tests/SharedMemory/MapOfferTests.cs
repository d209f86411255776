using Xunit;

namespace Reloaded.Messaging.Tests.SharedMemory;

public sealed class MapOfferTests
{
    [Theory]
    [InlineData(RingLayout.MagicOffset)]
    [InlineData(RingLayout.MagicOffset + sizeof(ulong) - 1)]
    [InlineData(RingLayout.CapacityOffset)]
    [InlineData(RingLayout.CapacityOffset + sizeof(int) - 1)]
    [InlineData(RingLayout.IdentityOffset)]
    [InlineData(RingLayout.IdentityOffset + RingLayout.IdentitySize - 1)]
    public unsafe void Map_is_the_offered_one_only_if_each_byte_of_its_header_agrees(int place)
    {
        using var map = new TestMap();
        var offer = MapOffer.Create(WakeMode.Bytes, TestMap.Capacity);
        Assert.False(offer.IsHeaderOf(map.Map));

        offer.WriteHeader(map.Map);
        Assert.True(offer.IsHeaderOf(map.Map));

        map.Map.Start[place] ^= 1;
        Assert.False(offer.IsHeaderOf(map.Map));
    }

    [Fact]
    public void Offer_with_a_changed_bit_is_read_only_if_it_is_another_valid_offer()
    {
        var offered = MapOffer.Create(WakeMode.Bytes, TestMap.Capacity).ToBytes();
        for (var bit = 0; bit < 8 * MapOffer.Size; bit++)
        {
            var changed = offered.AsSpan().ToArray();
            changed[bit / 8] ^= (byte)(1 << (bit % 8));

            var isValid = (bit / 8) switch
            {
                < 8 => false, // the version
                8 => WakeSignals.IsSupported((WakeMode)changed[8]),
                < 12 => true, // not used
                < 16 => false, // the size is a power of two
                _ => true, // the name
            };
            var read = MapOffer.TryRead(changed);
            Assert.True(isValid == (read is not null), $"bit {bit}");
            Assert.True(read is null || read.Identity.AsSpan().SequenceEqual(changed.AsSpan(16)), $"bit {bit}");
        }
    }
}
