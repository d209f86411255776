using System;
using System.IO;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Exports;

/// <summary>The TypeScript that <c>export</c> writes compiles, and describes the values of the JavaScript client.</summary>
public sealed class TypeScriptExportTests : IDisposable
{
    private readonly ExportFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task TypeScript_of_every_kind_of_member_is_strict()
    {
        await _folder.ExportAsync("typescript", "own.ts", Tool.Schema);
        await _folder.ExportAsync("typescript", "vectors.ts", Tool.Vectors);
        _folder.Write("use.ts", """
            import { Everything, Failed, Messages, Outcome, Part, Place, Replies, Rights, Side, StreamItems, Large } from "./own.js";
            const place: Place = [1, 2, Side.Enemy];
            const part: Part = { None: true, Parts: [] };
            const outcome: Outcome = { $type: "Reloaded.Messaging.Tests.Exported.Failed", Id: "a", Reason: "b" };
            const reply: Replies["Reloaded.Messaging.Tests.Exported.Load"] = outcome;
            const line: StreamItems["Reloaded.Messaging.Tests.Exported.Tail"] = { Text: "a" };
            const move: Messages["Reloaded.Messaging.Tests.Move"] = { X: 1, Y: 2, Name: "" };
            export function read(m: Everything): string | null {
                const name: string | null = m.Tuple[1];
                const parts: (Part | null)[] = m.ByName.get("a") ?? [part, null];
                const bytes: Uint8Array = m.Data;
                const large: bigint = Large.Most;
                m.Rights = Rights.Read | Rights.Write;
                if (m.Outcome?.$type === "Reloaded.Messaging.Tests.Exported.Failed") {
                    const failed: Failed = m.Outcome;
                    return failed.Reason;
                }
                return name ?? `${parts.length} ${bytes.length} ${large} ${reply} ${line.Text} ${move.X} ${m.ByNumber?.get(1)?.[0] ?? place[0]}`;
            }

            // The compiler reports a line below that is right.
            // @ts-expect-error
            export const ofOtherType: Part = { None: 1, Parts: [] };
            // @ts-expect-error
            export const withoutField: Part = { Parts: [] };
            // @ts-expect-error
            export const withOtherField: Part = { None: true, Parts: [], Other: 1 };
            // @ts-expect-error
            export const ofOtherNumber: Side = 3;
            // @ts-expect-error
            export const ofOtherUnion: Outcome = { $type: "Other", Id: "a" };
            // @ts-expect-error
            export const ofOtherLength: Place = [1, 2];
            """);

        await _folder.CompileTypeScriptAsync("--noUnusedLocals", "own.ts", "vectors.ts", "use.ts");
    }

    [Fact]
    public async Task TypeScript_is_checked_by_the_JavaScript_client()
    {
        await _folder.ExportAsync("typescript", "own.ts", Tool.Schema);
        File.Copy(Path.Combine(RepositoryFolder.FullName, "Clients", "javascript", "index.d.ts"), Path.Combine(_folder.FullName, "client.d.ts"));
        _folder.Write("use.ts", """
            import { Client, Schema } from "./client.js";
            import { Messages, Part, Replies, StreamItems } from "./own.js";
            const client = new Client<{ messages: Messages; replies: Replies; items: StreamItems }>("ws://127.0.0.1:7777/", new Schema());
            const part: Part = { None: true, Parts: [] };
            export async function use(): Promise<string> {
                await client.send("Move", { X: 1, Y: 2 });
                await client.send("Reloaded.Messaging.Tests.Exported.Part", part);
                await new Client("ws://127.0.0.1:7777/", new Schema()).send("Part", part);
                client.on("Move", move => move.X.toFixed() + move.Name.length);
                client.onRequest("Load", "Failed", (_, { signal }) => ({ Id: "a", Reason: String(signal.reason) }));
                client.onRequest("Load", "Failed", async (_, { items, report }) => {
                    for await (const move of items)
                        report({ None: move.X > 0 });
                    return { Id: "a" };
                }, { items: "Move", progress: "Part" });
                client.onStream("Tail", "Move", async function* (_, { items }) {
                    for await (const move of items)
                        yield { X: move.Y };
                }, { items: "Move" });
                await client.request("Load", {}, { items: ["Move", [{ X: 1 }]], progress: console.log });
                for await (const line of client.stream("Tail", {}, { items: ["Move", signal => moves(signal)] }))
                    return line.Text;
                return (await client.request("Load")).$type;
            }

            async function* moves(signal: AbortSignal) {
                while (!signal.aborted)
                    yield { X: 1, Y: 2 };
            }

            // The compiler reports a line below that is right.
            export async function fail(): Promise<void> {
                // @ts-expect-error
                await client.send("Mov", {});
                // @ts-expect-error
                await client.send("Move", { Z: 1 });
                // @ts-expect-error
                await client.send("Move", { X: "1" });
                // @ts-expect-error
                client.onRequest("Load", "Failed", () => ({ Id: 5 }));
                // @ts-expect-error
                (await client.request("Load")).Other;
                // @ts-expect-error
                await client.request("Load", {}, { items: ["Mov", []] });
                // @ts-expect-error
                await client.request("Load", {}, { items: ["Move", [{ Z: 1 }]] });
                // @ts-expect-error
                client.onRequest("Load", "Failed", async (_, { items }) => ({ Id: "a" }));
            }
            """);

        await _folder.CompileTypeScriptAsync("own.ts", "use.ts");
    }
}
