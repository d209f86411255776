using System;
using System.Runtime.InteropServices;
using Examples;
using Reloaded.Messaging;

namespace ModLoader.Packing;

/// <summary>Dispatches messages as a broken or hostile peer would send them, and shows the status of each. Nothing is thrown, and no buffer is rented.</summary>
public static class BadPeer
{
    private static readonly MessageContract<ModConfig> s_contract = new(
        2,
        MessageContract.GetDeclared<ModConfig>().Serializer,
        new CompressionOptions(new BrotliCompressor()));

    public static void Print()
    {
        var dispatcher = new MessageDispatcher<int>();
        _ = dispatcher.Register(s_contract, static (in ModConfig _, ref int handled) => handled++);
        var writer = new MessageWriter();
        using var packed = writer.Pack(s_contract, new ModConfig { ModId = "a.mod", ModDescription = new string('x', 1000) });
        var good = packed.Span;

        var table = new Table("message", "status");
        Add("a configuration", good);
        Add("an empty message", []);
        Add("the configuration, cut off", good.Slice(0, good.Length / 2));
        Add("the configuration, with an extra byte at the end", [.. good, 0]);
        Add("the configuration, with a declared decompressed size of 2 GB", WithSize(good, int.MaxValue));
        Add("the configuration, with a declared decompressed size that is one byte too large", WithSize(good, BitConverter.ToInt32(good.Slice(1)) + 1));
        Add("a string with a declared length of 2 GB", [2, 0xFF, 0xFF, 0xFF, 0xFF, 0x07]);
        Add("a message whose type has no handler", [77, 1, 2, 3]);
        Add("a header with reserved bits", [0x7F, 0xF8, 0x01]);
        Add("a reply without a request", [0x7F, 0x02, 0x02, 0x01]);
        table.Print("Invalid messages");

        void Add(string what, ReadOnlySpan<byte> message)
        {
            var handled = 0;
            table.Add(what, dispatcher.Dispatch(message, ref handled).ToString());
        }
    }

    private static byte[] WithSize(ReadOnlySpan<byte> message, int size)
    {
        var changed = message.ToArray();
        MemoryMarshal.Write(changed.AsSpan(1), size);
        return changed;
    }
}
