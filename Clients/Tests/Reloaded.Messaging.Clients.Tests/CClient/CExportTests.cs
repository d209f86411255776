using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Exported;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.CClient;

/// <summary>The C code that <c>export</c> writes compiles, has the defaults, and writes and reads every kind of member as C# does.</summary>
public sealed class CExportTests
{
    /// <summary>Writes a message with its defaults, and one with values; then reads a payload of C# and writes it again.</summary>
    private const string Program = """
        #include "reloaded_messaging.h"
        #define RM_CONTRACTS_IMPLEMENTATION
        #include "contracts.h"
        #include <stdio.h>

        static uint8_t payload[4096];
        static uint64_t memory[4096];

        static void print(const rm_contract *contract, const void *value)
        {
            size_t size;
            rm_status status = rm_pack(contract, value, payload, sizeof payload, &size);
            printf("%s ", rm_status_name(status));
            for (size_t i = 0; i < size && status == RM_OK; i++)
                printf("%02X", payload[i]);
            printf("\n");
        }

        int main(void)
        {
            static char line[8192];
            Part empty, part;
            Everything all;
            Part_init(&empty);
            Part_init(&part);
            part.None = false;
            part.Parts.items = &empty;
            part.Parts.count = 1;
            Everything_init(&all);
            printf("the default is %s number\n", all.Rate == all.Rate ? "a" : "no"); /* NaN of C has another sign than that of .NET */
            all.Rate = 0.25f;
            print(&Everything_contract, &all); /* a message that never is null is missing */
            all.Part = &empty;
            print(&Everything_contract, &all);

            struct Failed failed;
            struct Outcome outcome = {Outcome_Failed, {&failed}};
            const struct Part *parts[] = {&part, NULL};
            int32_t numbers[] = {-1, 2147483647};
            rm_text tags[] = {rm_string("a"), rm_string("b")};
            Failed_init(&failed);
            failed.Id = rm_string("x");
            all.Id.bytes[0] = 0x33;
            all.Side = Side_Friend;
            all.Count.has_value = true;
            all.Count.value = INT64_MIN;
            all.OtherSide.has_value = false;
            all.Place.At_X = 1.5f;
            all.Place.Side = Side_Enemy;
            all.Tuple.X = -2;
            all.Tuple.Name = rm_string("name");
            all.Tuple.item3.At_Y = -1;
            all.Pair.has_value = true;
            all.Pair.value.item1.A = 7;
            all.Pair.value.item1.B = true;
            all.Pair.value.item2 = 3;
            all.ByName.items = malloc(sizeof *all.ByName.items);
            all.ByName.items[0].key = rm_string("key");
            all.ByName.items[0].value.items = parts;
            all.ByName.items[0].value.count = 2;
            all.ByName.count = 1;
            all.ByNumber.items = calloc(2, sizeof *all.ByNumber.items);
            all.ByNumber.items[1].key = 9;
            all.ByNumber.items[1].value.At_X = 2;
            all.ByNumber.count = 2;
            all.Tags.items = tags;
            all.Tags.count = 2;
            all.Data = (rm_bytes){(const uint8_t *)"\252\273", 2};
            all.More.has_value = true;
            all.More.value = (rm_bytes){(const uint8_t *)"\1", 1};
            all.Link = rm_string("https://example.org/");
            all.Version = rm_string("1.2.3");
            all.At = (rm_time){630822816000000000, 1};
            all.Moment = (rm_offset_time){630822816000000000, -330};
            all.Length = 10000000;
            all.Day = 3652058;
            all.Half = 0x3E00;
            all.Rate = -0.5f;
            all.Huge = (rm_int128){1, 2};
            all.Outcome = &outcome;
            all.Part = &part;
            all.lambda = 5;
            all.list.items = numbers;
            all.list.count = 2;
            all.field = rm_string("");
            print(&Everything_contract, &all);
            all.Day++;
            print(&Everything_contract, &all);
            free(all.ByName.items);
            free(all.ByNumber.items);

            while (fgets(line, sizeof line, stdin) != NULL) {
                size_t size = 0;
                unsigned one;
                for (; sscanf(line + 2 * size, "%2x", &one) == 1; size++)
                    payload[size] = (uint8_t)one;
                uint8_t copied[sizeof payload];
                memcpy(copied, payload, size);
                rm_status status = rm_unpack(&Everything_contract, copied, size, &all, memory, sizeof memory);
                if (status == RM_OK)
                    print(&Everything_contract, &all);
                else
                    printf("%s\n", rm_status_name(status));
            }
            return 0;
        }
        """;

    [Fact]
    public async Task C_of_every_kind_of_member_writes_and_reads_the_bytes_of_the_library()
    {
        var file = Path.Combine(Directory.CreateDirectory(Path.Combine(AppContext.BaseDirectory, "c")).FullName, "members.c");
        await File.WriteAllTextAsync(file, Program.Replace("#include <stdio.h>", "#include <stdio.h>\n#include <stdlib.h>"), TestContext.Current.CancellationToken);
        var program = await CProgram.GetAsync(file, Tool.Schema, Path.Combine(RepositoryFolder.FullName, "Clients", "c", "reloaded_messaging.c"));
        var (short_, full) = ExportedValues.PackTwo();

        var lines = await program.RunAsync([short_, full, full + "AA", full[..^4], full.Replace("0261026203AABB", "0261026103AABB", StringComparison.Ordinal)], []);

        Assert.Equal(
            [
                "the default is no number", "RM_INVALID_VALUE ", $"RM_OK {short_}", $"RM_OK {full}", "RM_INVALID_VALUE ",
                $"RM_OK {short_}", $"RM_OK {full}", $"RM_OK {full}", "RM_INVALID_PAYLOAD", "RM_INVALID_PAYLOAD",
            ],
            lines);
    }
}
