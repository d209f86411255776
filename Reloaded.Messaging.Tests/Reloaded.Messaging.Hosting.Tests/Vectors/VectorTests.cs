using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Vectors;

/// <summary>The files of docs/vectors about connections against the library.</summary>
public sealed class VectorTests
{
    [Fact]
    public void Hellos_are_those_of_the_library() => HandshakeVectors.MakeHellos().AssertApproved();

    [Fact]
    public void Encodings_are_compared_as_the_library_does() => HandshakeVectors.MakeEncodings().AssertApproved();

    [Fact]
    public void Layouts_are_compared_as_the_library_does() => LayoutVectors.MakeLayouts().AssertApproved();

    [Fact]
    public void Proofs_are_those_of_the_library() => HandshakeVectors.MakeProofs().AssertApproved();

    [Fact]
    public void Control_messages_are_those_of_the_library() => HandshakeVectors.MakeControl().AssertApproved();

    [Fact]
    public void Faults_are_those_of_the_library() => HandshakeVectors.MakeFaults().AssertApproved();

    [Fact]
    public void Sessions_are_those_of_the_library() => SessionVectors.Make().AssertApproved();

    [Fact]
    public async Task Answers_are_those_of_a_live_host() => (await AnswerVectors.MakeAsync()).AssertApproved();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Session_vector_is_what_a_live_server_sends(bool hasToken)
    {
        var token = hasToken ? HandshakeVectors.Token : [];
        await using var server = await SessionVectors.ListenAsync(token);
        using var raw = await RawPeer.ConnectAsync(server.Endpoint);
        var hello = await raw.ReceiveAsync();
        var steps = new SessionVectors(token, HelloMessage.TryRead(hello.Payload)!.Nonce).Write();

        foreach (var (isServer, what, frame) in steps)
        {
            if (!isServer)
            {
                await raw.SendAsync(frame);
                continue;
            }

            var (header, payload) = what == "hello" ? hello : await raw.ReceiveAsync();
            Assert.True(frame.SequenceEqual(RawPeer.Frame(header.Kind, header.Type, header.CorrelationId, payload)), what);
        }

        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.Goodbye) == 1);
    }
}
