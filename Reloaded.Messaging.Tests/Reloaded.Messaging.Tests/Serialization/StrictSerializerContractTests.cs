using Xunit;

namespace Reloaded.Messaging.Tests.Serialization;

/// <summary>What every serializer has to do for whose messages not all bytes will do.</summary>
public abstract class StrictSerializerContractTests<T> : SerializerContractTests<T>
{
    /// <summary>Payloads that are no message, each with the reason why.</summary>
    protected abstract (string Reason, byte[] Payload)[] BadPayloads { get; }

    [Fact]
    public void Bad_payloads_are_refused()
    {
        Assert.NotEmpty(BadPayloads);
        foreach (var (reason, payload) in BadPayloads)
            Assert.False(Serializer.TryDeserialize(payload, out _), $"Accepted: {reason}.");
    }
}
