using Reloaded.Messaging.Compression.LZ4;
using Reloaded.Messaging.Serialization.Protobuf;
using Xunit;

namespace Reloaded.Messaging.Tests.PublicSurface;

/// <summary>What the assemblies show to others is what was approved, in every build of them.</summary>
public sealed class PublicSurfaceTests
{
    [Fact]
    public void The_core_shows_what_was_approved() => ApprovedSurface.Assert(typeof(MessageWriter).Assembly);

    [Fact]
    public void The_LZ4_assembly_shows_what_was_approved() => ApprovedSurface.Assert(typeof(LZ4Compressor).Assembly);

    [Fact]
    public void The_Protobuf_assembly_shows_what_was_approved() => ApprovedSurface.Assert(typeof(ProtobufSerializer<>).Assembly);

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
