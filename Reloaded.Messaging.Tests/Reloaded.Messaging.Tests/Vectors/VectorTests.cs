using Xunit;

namespace Reloaded.Messaging.Tests.Vectors;

/// <summary>The files of docs/vectors against the library.</summary>
public sealed class VectorTests
{
    [Fact]
    public void UVarints_are_those_of_the_library() => WireVectors.MakeUVarints().AssertApproved();

    [Fact]
    public void Headers_are_those_of_the_library() => WireVectors.MakeHeaders().AssertApproved();

    [Fact]
    public void Frames_are_those_of_the_library() => WireVectors.MakeFrames().AssertApproved();

    [Fact]
    public void Batches_are_those_of_the_library() => WireVectors.MakeBatches().AssertApproved();

    [Fact]
    public void Compressed_payloads_are_those_of_the_library() => WireVectors.MakeCompression().AssertApproved();

    [Fact]
    public void Payloads_are_those_of_the_library() => PayloadVectors.MakePayloads().AssertApproved();

    [Fact]
    public void Ids_are_those_of_the_page() => PayloadVectors.MakeIds().AssertApproved();

    [Fact]
    public void Verdicts_on_mutated_messages_are_those_of_the_library() => MutatedMessages.Make().AssertApproved();
}
