using System.Text.Json.Nodes;
using Reloaded.Messaging.Tests.Generated;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Vectors;

/// <summary>Makes the vectors of docs/specification/binary-format.md: payloads, ids and shapes.</summary>
internal static class PayloadVectors
{
    public static VectorFile MakePayloads()
    {
        var file = new VectorFile("payloads", "Payloads of generated serializers. message: the end of a contract's name in contracts.schema.json. status: Ok or InvalidPayload. value: see README.md. canonical: whether the value is written as these bytes. mutated: whether the messages in mutations.json begin as this one.");
        foreach (var table in new[] { "Valid payloads", "Valid payloads with more rules" })
        {
            foreach (var row in BinaryFormatPage.Table(table))
            {
                var sample = WireSamples.Find(row[0], row[1]);
                Add(row[1], sample, sample.Encode(), isCanonical: true, isMutated: table == "Valid payloads");
            }
        }

        foreach (var row in BinaryFormatPage.Table("Payloads of other versions"))
            Add(row[3], WireSamples.Find(row[0], row[1]), BinaryFormatPage.Bytes(row[2]));
        foreach (var row in BinaryFormatPage.Table("Malformed payloads"))
            Add(row[2], WireSamples.Find(row[0]), BinaryFormatPage.Bytes(row[1]));
        return file;

        void Add(string words, WireSample sample, byte[] payload, bool isCanonical = false, bool isMutated = false)
        {
            var isRead = sample.TryRead(payload, out var value);
            file.Add($"{sample.Message}: {words}", new JsonObject
            {
                ["message"] = sample.Message,
                ["bytes"] = VectorFile.Hex(payload),
                ["status"] = isRead ? "Ok" : nameof(DispatchStatus.InvalidPayload),
                ["value"] = isRead ? VectorValue.Write(value, sample.Type) : null,
                ["canonical"] = isCanonical,
                ["mutated"] = isMutated,
            });
        }
    }

    public static VectorFile MakeIds()
    {
        var file = new VectorFile("ids", "Ids that are derived from names.");
        foreach (var row in BinaryFormatPage.Table("Derived ids"))
            file.Add(row[0], new JsonObject { ["id"] = uint.Parse(row[1], System.Globalization.CultureInfo.InvariantCulture) });
        return file;
    }
}
