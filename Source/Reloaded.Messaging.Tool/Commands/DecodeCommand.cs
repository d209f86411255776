using System.CommandLine;
using System.IO;
using System.Text;

namespace Reloaded.Messaging.Tool;

/// <summary>Prints messages in hexadecimal digits, files and captures.</summary>
internal static class DecodeCommand
{
    private const int MaxInput = 1 << 30;
    private const string Advice = "Split the capture.";

    public static Command Create(ToolConsole console)
    {
        var schema = new SchemaArguments();
        var input = new Argument<string>("input") { Description = "Hexadecimal digits; or a file: a capture (pcap, pcapng), a recording, hexadecimal digits, or bytes; or - for the standard input." };
        var form = new Option<string>("--as") { Description = "The form of hexadecimal digits and bytes: frames with their lengths, one message, or the payload of --type.", DefaultValueFactory = static _ => "frames" };
        form.AcceptOnlyFromAmong("frames", "message", "payload");
        var type = new Option<string?>("--type") { Description = "The type of a payload." };
        var port = new Option<int>("--port") { Description = "Decodes the connections of this port in a capture, also if their start is missing." };
        var command = new Command("decode", "Prints the header, the type and the fields of messages.") { input, form, type, port };
        schema.AddTo(command);
        command.SetAction((result, cancellationToken) => RunAsync(console, schema.Load(result), result.GetValue(input)!, result.GetValue(form)!, result.GetValue(type), result.GetValue(port), cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(ToolConsole console, Schema schema, string input, string form, string? type, int port, CancellationToken cancellationToken)
    {
        var bytes = await ReadInputAsync(console, input, cancellationToken);
        var formatter = new MessageFormatter(schema);
        var dump = new Dump(console.Output, formatter);
        using var progress = new DecodeProgress(console.CreateProgress(), dump, bytes.Count, cancellationToken);
        if (CaptureFile.TryRead(bytes) is { } packets)
        {
            new CaptureDump(dump, port).Print(progress.Follow(packets, static packet => packet.Position));
        }
        else if (Recording.IsStart(bytes))
        {
            using (var reader = OpenText(bytes))
            {
                if (Recording.ReadContracts(reader) is { } recorded)
                    formatter.FindDifference = (type, contract) => RemoteContract.FindDifference(recorded, schema, type, contract);
            }

            if (formatter.FindDifference is null && schema.Contracts.Count > 0)
                console.Error.WriteLine("The recording has no contracts, so its values are right only if the schema is that of its host. Record with --schema or --assembly.");
            PrintRecording(dump, bytes, progress);
        }
        else if (form == "payload")
        {
            var contract = schema.Find(type ?? throw new ToolException(ExitCode.Usage, "A payload contains no type. Name its type by --type."));
            dump.PrintPayload(contract, ParseHex(bytes) ?? bytes);
        }
        else
        {
            PrintBytes(dump, ParseHex(bytes) ?? bytes, isMessage: form == "message", progress);
        }

        if (dump.Messages == 0 && dump.Invalid == 0)
            console.Error.WriteLine("The input contains no message of this library. If the start of a connection is missing in a capture, name its port by --port.");
        return dump.Invalid == 0
            ? ExitCode.Success
            : throw ToolException.Invalid($"The input cannot be read in {ToolConsole.Count(dump.Invalid, "place")}, which the output names.");
    }

    private static void PrintBytes(Dump dump, ArraySegment<byte> bytes, bool isMessage, DecodeProgress progress)
    {
        if (isMessage)
        {
            dump.Print("", bytes);
            return;
        }

        switch (StreamStart.Recognize(bytes))
        {
            case StreamKind.Protected:
                dump.Note("encrypted by Protection; the tool cannot decode it");
                return;
            case StreamKind.Tls:
                dump.Note("encrypted by TLS; the tool cannot decode it");
                return;
        }

        if (dump.PrintFrames("", bytes, progress.Reach) is { } read && read < bytes.Count)
            dump.Fail(FormattableString.Invariant($"the input ends inside a frame, {bytes.Count - read} bytes are left; if the bytes are one message without its length, use --as message"));
    }

    private static void PrintRecording(Dump dump, ArraySegment<byte> bytes, DecodeProgress progress)
    {
        using var reader = OpenText(bytes);
        foreach (var message in progress.Follow(Recording.Read(reader), _ => reader.BaseStream.Position))
            dump.Print(FormattableString.Invariant($"{message.Time.TotalSeconds:F6} "), message.Bytes);
    }

    private static async Task<ArraySegment<byte>> ReadInputAsync(ToolConsole console, string input, CancellationToken cancellationToken)
    {
        if (input == "-")
            return await Task.Run(() => ReadText(console.Input), cancellationToken).WaitAsync(cancellationToken); // the read itself cannot be canceled
        return File.Exists(input)
            ? await Task.Run(() => LimitedFile.ReadBytes(input, MaxInput, Advice, mayBePipe: true), cancellationToken).WaitAsync(cancellationToken)
            : ParseHex(Encoding.UTF8.GetBytes(input)) ?? throw ToolException.Invalid($"'{input}' is not a file, and not hexadecimal digits in pairs.");
    }

    private static ArraySegment<byte> ReadText(TextReader input)
    {
        using var bytes = new MemoryStream();
        using (var writer = new StreamWriter(bytes, leaveOpen: true))
        {
            var part = new char[1 << 16];
            while (input.Read(part, 0, part.Length) is > 0 and var read)
            {
                writer.Write(part, 0, read);
                if (bytes.Length > MaxInput)
                    throw ToolException.Invalid(FormattableString.Invariant($"The standard input has more than {MaxInput} bytes, the limit. {Advice}"));
            }
        }

        return new ArraySegment<byte>(bytes.GetBuffer(), 0, (int)bytes.Length);
    }

    private static StreamReader OpenText(ArraySegment<byte> bytes) => new(new MemoryStream(bytes.Array!, bytes.Offset, bytes.Count));

    /// <returns>The bytes, or <c>null</c> if the text is not hexadecimal digits in pairs.</returns>
    private static ArraySegment<byte>? ParseHex(ReadOnlySpan<byte> text)
    {
        var digits = 0;
        foreach (var one in text)
        {
            if (char.IsAsciiHexDigit((char)one))
                digits++;
            else if (!char.IsWhiteSpace((char)one))
                return null;
        }

        if (digits % 2 != 0)
            return null;
        var bytes = new byte[digits / 2];
        digits = 0;
        foreach (var one in text)
        {
            if (char.IsWhiteSpace((char)one))
                continue;
            var value = char.IsAsciiDigit((char)one) ? one - '0' : char.ToLowerInvariant((char)one) - 'a' + 10;
            bytes[digits / 2] |= (byte)(digits % 2 == 0 ? value << 4 : value);
            digits++;
        }

        return bytes;
    }
}
