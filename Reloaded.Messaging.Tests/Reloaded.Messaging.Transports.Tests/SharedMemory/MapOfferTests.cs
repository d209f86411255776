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
}
