using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

/// <summary>A value of a generated message, and what the tables of docs/specification/binary-format.md call it.</summary>
/// <param name="words">The value, in words.</param>
public abstract class WireSample(string words)
{
    public string Words => words;

    public abstract string Message { get; }

    /// <summary>The message's type.</summary>
    public abstract Type Type { get; }

    /// <summary>The message's id on the wire.</summary>
    public abstract uint Id { get; }

    public abstract byte[] Encode();

    /// <summary>Fails unless the bytes are read as this value.</summary>
    public abstract void AssertIsRead(byte[] payload);

    /// <summary>Whether the bytes are read as any value of the message.</summary>
    public abstract bool CanRead(byte[] payload);

    /// <summary>Reads the bytes as a value of the message.</summary>
    public abstract bool TryRead(byte[] payload, out object? value);

    /// <summary>Registers a handler of the message that does nothing.</summary>
    public abstract void Register(MessageDispatcher<int> dispatcher);
}

/// <inheritdoc cref="WireSample"/>
public sealed class WireSample<T>(string words, T value) : WireSample(words)
{
    private static readonly MessageContract<T> s_contract = MessageContract.GetDeclared<T>();

    /// <summary>The name of the type; for a generic type, as in a schema.</summary>
    public override string Message { get; } = typeof(T).Name.Replace("`1", $"_Of_{(typeof(T).IsGenericType ? "int" : "")}", StringComparison.Ordinal);

    public override Type Type => typeof(T);

    public override uint Id => s_contract.Type;

    public override byte[] Encode() => Payload.Of(value);

    public override void AssertIsRead(byte[] payload)
    {
        Assert.True(s_contract.Serializer.TryDeserialize(payload, out var read), $"{Message} is not read.");
        if (!EqualityComparer<T>.Default.Equals(value, read)) // collections are compared by their items
            Assert.Equivalent(value, read, strict: true);
        Assert.Equal(Encode(), Payload.Of(read)); // what Equivalent overlooks, such as a time's kind
    }

    public override bool CanRead(byte[] payload) => s_contract.Serializer.TryDeserialize(payload, out _);

    public override bool TryRead(byte[] payload, out object? value)
    {
        var isRead = s_contract.Serializer.TryDeserialize(payload, out var read);
        value = read;
        return isRead;
    }

    public override void Register(MessageDispatcher<int> dispatcher) => dispatcher.Register(s_contract, static (in T _, ref int _) => { });
}
