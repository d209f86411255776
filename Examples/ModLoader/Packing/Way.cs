using System;
using System.Collections.Generic;
using Reloaded.Messaging;
using Reloaded.Messaging.Compression.LZ4;

namespace ModLoader.Packing;

/// <summary>One way to send a configuration: a serializer (generated or JSON) and a compressor.</summary>
public sealed record Way(string Name, Func<ModFile, PackedMessage> Pack, Action<MessageDispatcher<WayRow>> Register)
{
    private static readonly MessageWriter s_writer = new();

    public static IEnumerable<Way> All(Action<string> say)
    {
        // The contract from [Message] is already declared. Other contracts can use its serializer too, here with compression.
        var generated = MessageContract.GetDeclared<ModConfig>();
        var json = new JsonMessageSerializer<ModConfig>(ModConfigContext.Default.ModConfig);
        yield return Make("binary", generated);
        yield return Make("binary, pooled", MessageContract.GetDeclared<PooledModConfig>());
        yield return Make("json", new MessageContract<ModConfig>(10, json));
        yield return Make("binary, brotli", new MessageContract<ModConfig>(11, generated.Serializer, new CompressionOptions(new BrotliCompressor())));
        yield return Make("json, brotli", new MessageContract<ModConfig>(12, json, new CompressionOptions(new BrotliCompressor())));

        IMessageCompressor lz4;
        try
        {
            lz4 = new LZ4Compressor();
        }
        catch (DllNotFoundException e)
        {
            say(e.Message);
            yield break;
        }

        yield return Make("binary, lz4", new MessageContract<ModConfig>(13, generated.Serializer, new CompressionOptions(lz4)));
        yield return Make("json, lz4", new MessageContract<ModConfig>(14, json, new CompressionOptions(lz4)));
    }

    private static Way Make<T>(string name, MessageContract<T> contract)
        where T : ModConfig => new(
            name,
            mod => s_writer.Pack(contract, (T)(ModConfig)mod.Config),
            dispatcher => dispatcher.Register(contract, static (in T config, ref WayRow row) => row.CountHandled(config)));
}
