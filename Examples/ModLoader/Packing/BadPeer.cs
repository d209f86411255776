using System;
using System.Runtime.InteropServices;
using Examples;
using Reloaded.Messaging;

namespace ModLoader.Packing;

/// <summary>Sends a dispatcher what a broken or hostile peer would, and shows the status that each gets. Nothing is thrown, nothing is rented.</summary>
public static class BadPeer
{
    private static readonly MessageContract<ModConfig> s_contract = new(
        2,
        MessageContract.GetDeclared<ModConfig>().Serializer,
        new CompressionOptions(new BrotliCompressor()));

    public static void Print()
    {
        var dispatcher = new MessageDispatcher<int>();
        dispatcher.Register(s_contract, static (in ModConfig _, ref int handled) => handled++);
        var writer = new MessageWriter();
        using var packed = writer.Pack(s_contract, new ModConfig { ModId = "a.mod", ModDescription = new string('x', 1000) });
        var good = packed.Span;

        var table = new Table("what a peer sends", "status");
        Add("a configuration", good);
        Add("nothing", []);
        Add("the same, cut off", good.Slice(0, good.Length / 2));
        Add("the same, with a byte behind it", [.. good, 0]);
        Add("the same, said to be 2 GB when decompressed", WithSize(good, int.MaxValue));
        Add("the same, said to be a byte longer", WithSize(good, BitConverter.ToInt32(good.Slice(1)) + 1));
        Add("a string said to be 2 GB long", [2, 0xFF, 0xFF, 0xFF, 0xFF, 0x07]);
        Add("a message of a type that nobody handles", [77, 1, 2, 3]);
        Add("a header with reserved bits", [0x7F, 0xF8, 0x01]);
        Add("a reply that nobody asked for", [0x7F, 0x02, 0x02, 0x01]);
        table.Print("What a bad peer gets");

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
