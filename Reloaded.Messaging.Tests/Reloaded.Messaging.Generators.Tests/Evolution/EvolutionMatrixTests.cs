using Xunit;

namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>The table "Evolution" of docs/specification/binary-format.md between a C# server and a client: two versions of a contract read each other, or each side says what differs. No value changes its meaning.</summary>
public abstract class EvolutionMatrixTests
{
    private protected abstract IVersionClient Client { get; }

    [Theory]
    [MemberData(nameof(EvolutionChanges.Compatible), MemberType = typeof(EvolutionChanges))]
    public async Task Both_versions_read_each_other(string change, string[] before, string[] after, string newShows, string oldShows)
    {
        Client.Require();
        var (old, now) = (Load(before), Load(after));

        Assert.Equal((change, newShows), (change, await Client.SendAsync(old, now)));
        Assert.Equal((change, oldShows), (change, await Client.SendAsync(now, old)));
        Assert.Equal((change, newShows), (change, await Client.AskAsync(now, old)));
        Assert.Equal((change, oldShows), (change, await Client.AskAsync(old, now)));
        Assert.Equal(("connected", "connected"), await Client.AnnounceAsync(old, now));
        Assert.Equal(("connected", "connected"), await Client.AnnounceAsync(now, old));
        Assert.Equal(old.Own, await Client.SendAsync(old, old));
        Assert.Equal(now.Own, await Client.AskAsync(now, now));
    }

    [Theory]
    [MemberData(nameof(EvolutionChanges.Unreadable), MemberType = typeof(EvolutionChanges))]
    public async Task Value_that_the_old_version_cannot_have_is_an_error_with_the_name_of_the_message(string change, string[] before, string[] after, string newShows)
    {
        Client.Require();
        var (old, now) = (Load(before), Load(after));

        Assert.Equal((change, newShows), (change, await Client.SendAsync(old, now)));
        Assert.Equal((change, newShows), (change, await Client.AskAsync(now, old)));
        Assert.Matches(@"The request M \(type 5\) cannot be read", await Client.SendAsync(now, old));
        Assert.Matches(@"The reply M \(type 5\) cannot be read|payload of M is invalid", await Client.AskAsync(old, now));
        Assert.Equal(("connected", "connected"), await Client.AnnounceAsync(old, now));
    }

    [Theory]
    [MemberData(nameof(EvolutionChanges.Refused), MemberType = typeof(EvolutionChanges))]
    public async Task Both_sides_are_told_what_differs_and_no_value_is_read(string change, string before, string after, string part, string difference)
    {
        Client.Require();
        var (old, now) = (Load([.. before.Split('|'), "{m}"]), Load([.. after.Split('|'), "{m}"]));
        var (oldView, newView) = ($"differ: {difference}.", $"differ: {Mirror(difference)}.");

        Assert.Contains(oldView, await Client.SendAsync(old, now), StringComparison.Ordinal);
        Assert.Contains(newView, await Client.SendAsync(now, old), StringComparison.Ordinal);
        Assert.Contains(oldView, await Client.AskAsync(old, now), StringComparison.Ordinal);
        Assert.Contains(newView, await Client.AskAsync(now, old), StringComparison.Ordinal);
        var (here, there) = await Client.AnnounceAsync(old, now);
        Assert.Contains(oldView, here, StringComparison.Ordinal);
        Assert.Equal((change, Mirror(difference)), (change, there));
        (here, there) = await Client.AnnounceAsync(now, old);
        Assert.Contains(newView, here, StringComparison.Ordinal);
        Assert.Equal((part, difference), (part, there));
    }

    private static ContractVersion Load(string[] version) => ContractVersion.Load(version[0], version[1], version[2]);

    /// <summary>The same difference, as the other side sees it.</summary>
    private static string Mirror(string difference)
    {
        var (start, end, rest) = (difference.IndexOf(" is ", StringComparison.Ordinal), difference.IndexOf(" there", StringComparison.Ordinal), " here and ");
        var (before, views) = (difference[..(start + 4)], difference[(start + 4)..end].Split(rest));
        return $"{before}{views[1]}{rest}{views[0]}{difference[end..]}";
    }
}
