using System;
using System.Collections.Generic;
using Reloaded.Messaging.Compression;
using Reloaded.Messaging.Compression.LZ4;
using Reloaded.Messaging.Contracts;
using Reloaded.Messaging.Serialization;

namespace ModLoader;

/// <summary>One way to send a configuration: the same type and serializer, another compressor.</summary>
public sealed record Way(string Name, MessageContract<ModConfig> Contract)
{
    public static IEnumerable<Way> All(Action<string> say)
    {
        yield return new Way("none", MakeContract(1, null));
        yield return new Way("brotli", MakeContract(2, new BrotliCompressor()));

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

        yield return new Way("lz4", MakeContract(3, lz4));
    }

    private static MessageContract<ModConfig> MakeContract(uint type, IMessageCompressor? compressor) =>
        new(type, new JsonMessageSerializer<ModConfig>(ModConfigContext.Default.ModConfig), compressor is null ? null : new CompressionPolicy(compressor));
}
