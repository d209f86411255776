// Answers each line of the standard input with a line, so that a test can compare this client with docs/vectors. Bytes are hexadecimal;
// "-" stands for no bytes.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Reloaded.Messaging.Client;
using Reloaded.Messaging.Client.Messages;

internal static class Program
{
    private static readonly List<byte[]> s_bases = new List<byte[]>();
    private static readonly List<int> s_headers = new List<int>();
    private static readonly HashSet<uint> s_known = new HashSet<uint>();
    private static uint s_random = 0x2545F491;
    private static int s_index;

    public static void Main()
    {
        for (string line; (line = Console.ReadLine()) != null;)
            Console.WriteLine(Answer(line.Split(' ')));
    }

    private static string Answer(string[] words)
    {
        var data = words.Length > 1 ? Bytes(words[1]) : new byte[0];
        switch (words[0])
        {
            case "uvarint":
                return Uvarint(data);
            case "header":
                return Header(data);
            case "frames":
                return Frames(data, Number(words[2]), Number(words[3]));
            case "hello":
                return Hello(data);
            case "payload":
                return Payload(Find((uint)Number(words[2])), data);
            case "lz4":
                var plain = new byte[Number(words[2])];
                return Lz4.TryDecompress(data, 0, data.Length, plain, plain.Length) ? Hex(plain) : "corrupt";
            case "fault":
                return Wire.TryReadFault(data, 0, data.Length, out var code, out var text) ? "Ok " + Render(code) + " " + Hex(Encoding.UTF8.GetBytes(text)) : "Unreadable";
            case "encoding":
                var own = Encoding.UTF8.GetString(data).Split('+');
                string here = null, there = null;
                return MessageClient.IsSameEncoding(own.Length > 1 ? own[1] : null, Encoding.UTF8.GetString(Bytes(words[2])), ref here, ref there) ? "same" : here + "|" + there;
            case "proof":
                var nonces = Bytes(words[3]);
                return Hex(MessageClient.MakeProof(data, words[2][0], Part(nonces, 0, 16), Part(nonces, 16, 16)));
            case "helloframe":
                return HelloFrame(data.Length > 0, Bytes(words[2]));
            case "base":
                var at = 0;
                Wire.ReadHeader(data, ref at, data.Length, out var header);
                s_bases.Add(data);
                s_headers.Add(at);
                s_known.Add(header.Type);
                return "ok";
            case "mutations":
                return Mutations();
            default:
                throw new InvalidOperationException(words[0]);
        }
    }

    private static string Uvarint(byte[] data)
    {
        var at = 0;
        var verdict = Wire.ReadUvarint(data, ref at, data.Length, out var value);
        if (verdict != HeaderVerdict.Ok)
            return verdict.ToString();
        var written = new byte[Wire.SizeOfUvarint(value)];
        return "Ok " + Render(value) + (at == data.Length && Wire.PutUvarint(written, 0, value) == at && Hex(written) == Hex(data) ? " 1" : " 0");
    }

    private static string Header(byte[] data)
    {
        var at = 0;
        var verdict = Wire.ReadHeader(data, ref at, data.Length, out var header);
        if (verdict != HeaderVerdict.Ok)
            return verdict.ToString();
        var writer = new PayloadWriter();
        writer.Start(Wire.MaxHeader);
        Wire.WriteHeader(writer, header);
        return "Ok " + Render(header.Type) + " " + Render((int)header.Kind) + " " + Render(header.Correlation) + " " + (header.IsCompressed ? "" : "!") + Render(header.Size) + " "
            + Hex(Part(data, at, data.Length - at)) + (Hex(writer.ToArray()) == Hex(Part(data, 0, at)) ? " same" : " other");
    }

    private static string Frames(byte[] data, int limit, int most)
    {
        var answer = "";
        var at = 0;
        var status = FrameStatus.Ok;
        for (; most > 0 && (status = Wire.ReadFrame(data, ref at, data.Length, limit, 0, out var size)) == FrameStatus.Ok; most--)
        {
            answer += Hex(Part(data, at, size)) + " ";
            at += size;
        }

        return answer + status + " " + Hex(Part(data, at, data.Length - at));
    }

    private static string Hello(byte[] data)
    {
        var status = MessageClient.ReadHello(data, 0, data.Length, out var hello);
        return status == ClientStatus.InvalidPayload ? "Unreadable" : status != ClientStatus.Ok ? "OtherVersion"
            : "Ok " + (hello.HasToken ? "1 " : "0 ") + Render(hello.Limit) + " " + Hex(Part(data, hello.Nonce, 16)) + (hello.Contracts == null ? " 0" : " 1");
    }

    /// <summary>Writes the frame of a client's first hello, without contracts.</summary>
    private static string HelloFrame(bool hasToken, byte[] nonce)
    {
        var writer = new PayloadWriter();
        writer.Start(Wire.MaxControl);
        Wire.WriteHeader(writer, new MessageHeader { Kind = MessageKind.Control });
        writer.WriteBytes(MessageClient.MakeHello(nonce, 1 << 20, hasToken, new byte[] { 1 }));
        var frame = new byte[Wire.SizeOfUvarint((uint)writer.Size) + writer.Size];
        Buffer.BlockCopy(writer.Data, 0, frame, Wire.PutUvarint(frame, 0, (uint)writer.Size), writer.Size);
        return Hex(frame);
    }

    /// <summary>Reads a payload and writes its value again.</summary>
    private static string Payload(Contract contract, byte[] data)
    {
        var reader = new PayloadReader(data, 0, data.Length);
        var value = contract.UnpackObject(reader);
        if (reader.HasFailed)
            return "InvalidPayload";
        var writer = new PayloadWriter();
        writer.Start(Wire.LargestSize);
        contract.PackObject(writer, value);
        return "Ok " + writer.Status + " " + Hex(writer.ToArray());
    }

    private static string Mutations()
    {
        var block = new byte[1000];
        for (var i = 0; i < block.Length; i++)
            block[i] = Judge(Mutate(s_index++ % s_bases.Count).ToArray());
        using (var hash = SHA256.Create())
            return Hex(hash.ComputeHash(block));
    }

    /// <summary>Mutates a message as docs/vectors/README.md specifies.</summary>
    private static List<byte> Mutate(int index)
    {
        var message = new List<byte>(s_bases[index]);
        for (var count = 1 + Draw(3); count > 0; count--)
        {
            var operation = Draw(5);
            var start = Draw(8) == 0 ? 0 : Math.Min(s_headers[index], message.Count);
            if (start == message.Count)
                operation = 3;
            var position = start + Draw(message.Count - start + (operation == 3 ? 1 : 0));
            if (operation == 0)
                message[position] ^= (byte)(1 << Draw(8));
            else if (operation == 1)
                message[position] = (byte)Draw(256);
            else if (operation == 2)
                message.RemoveRange(position, message.Count - position);
            else if (operation == 3)
                message.Insert(position, (byte)Draw(256));
            else
                message.RemoveAt(position);
        }

        return message;
    }

    private static byte Judge(byte[] message)
    {
        var at = 0;
        if (Wire.ReadHeader(message, ref at, message.Length, out var header) != HeaderVerdict.Ok)
            return 1;
        if (header.Kind > MessageKind.Request)
            return 2;
        if (!s_known.Contains(header.Type))
            return 3;
        if (header.IsCompressed)
            return 1;
        var reader = new PayloadReader(message, at, message.Length - at);
        Find(header.Type).UnpackObject(reader);
        return reader.HasFailed ? (byte)4 : (byte)0;
    }

    private static int Draw(int bound)
    {
        s_random ^= s_random << 13;
        s_random ^= s_random >> 17;
        s_random ^= s_random << 5;
        return (int)(s_random % (uint)bound);
    }

    private static Contract Find(uint id) => Array.Find(Contracts.All, one => one.Id == id);

    private static byte[] Part(byte[] data, int start, int size)
    {
        var part = new byte[size];
        Buffer.BlockCopy(data, start, part, 0, size);
        return part;
    }

    private static byte[] Bytes(string hex)
    {
        var bytes = new byte[hex == "-" ? 0 : hex.Length / 2];
        for (var i = 0; i < bytes.Length; i++)
            bytes[i] = byte.Parse(hex.Substring(2 * i, 2), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
        return bytes;
    }

    private static string Hex(byte[] data) => data.Length == 0 ? "-" : BitConverter.ToString(data).Replace("-", "");

    private static int Number(string text) => int.Parse(text, CultureInfo.InvariantCulture);

    private static string Render(long value) => value.ToString(CultureInfo.InvariantCulture);
}
