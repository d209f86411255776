using System.Linq;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

public sealed class ReplayWindowTests
{
    [Theory]
    [InlineData(new ulong[] { 7 }, 0)]
    [InlineData(new ulong[] { 7, 8, 9, 10 }, 0)]
    [InlineData(new ulong[] { 7, 10 }, 0.5)]
    [InlineData(new ulong[] { 7, 10, 8 }, 0.25)]
    [InlineData(new ulong[] { 7, 5000 }, 1023 / 1024d)]
    public void Missing_share_counts_gaps_since_first_number_in_window(ulong[] received, double share)
    {
        var window = new ReplayWindow();
        Assert.Null(window.GetMissingShare());

        received.ToList().ForEach(window.Note);

        Assert.Equal((double?)share, window.GetMissingShare());
    }

    [Fact]
    public void Window_holds_the_newest_1024_numbers()
    {
        var window = new ReplayWindow();
        window.Note(2000);

        Assert.Equal(OpenStatus.TooOld, window.Check(976));
        Assert.Equal(OpenStatus.Ok, window.Check(977));
        window.Note(977);
        Assert.Equal(OpenStatus.Replayed, window.Check(977));
        window.Note(2999);
        Assert.Equal(OpenStatus.TooOld, window.Check(977));
        Assert.Equal(OpenStatus.Replayed, window.Check(2000));
        window.Note(10_000); // forgets all older numbers
        Assert.Equal(OpenStatus.Ok, window.Check(9999));
        Assert.Equal(OpenStatus.TooOld, window.Check(2999));
    }
}
