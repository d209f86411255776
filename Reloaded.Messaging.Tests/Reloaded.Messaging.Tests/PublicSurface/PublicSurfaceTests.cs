using Xunit;

namespace Reloaded.Messaging.Tests.PublicSurface;

/// <summary>What the core shows to others is what was approved, in each build of it.</summary>
public sealed class PublicSurfaceTests
{
    [Fact]
    public void The_core_shows_what_was_approved() => ApprovedSurface.Assert(typeof(MessageWriter).Assembly);

    [Fact]
    public void Defaults_are_those_of_their_texts() => DocumentedDefaults.Assert(typeof(MessageWriter).Assembly);

    [Fact]
    public void A_difference_is_told_by_its_lines()
    {
        var difference = ApprovedSurface.Difference("class A\n    int Kept()\n    int Old()\n", "class A\n    int Kept()\n    int New()\n");

        Assert.Equal(["- class A:     int Old()", "+ class A:     int New()"], difference);
    }

    [Fact]
    public void A_member_that_moved_to_another_type_is_a_difference() =>
        Assert.Equal(["- class A:     int M()", "+ class B:     int M()"], ApprovedSurface.Difference("class A\n    int M()\nclass B\n", "class A\nclass B\n    int M()\n"));
}
