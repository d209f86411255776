using System.Collections.Generic;
using System.IO;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Tests.CSharp2Client;

/// <summary>The client for netstandard2.0 reads and writes the bytes of docs/vectors.</summary>
public sealed class CSharp2VectorTests : ClientVectorTests
{
    protected override async Task<string[]> AnswerAsync(string schema, IEnumerable<string> lines) =>
        await (await CSharp2Program.GetAsync(CSharp2Program.NetStandard, schema, Path.Combine(CSharp2Program.Folder, "test", "Vectors.cs"))).RunAsync(onMono: false, lines);
}

/// <summary>The same client, compiled for .NET Framework 4.7.2, on Mono.</summary>
public sealed class CSharp2MonoVectorTests : ClientVectorTests
{
    protected override async Task<string[]> AnswerAsync(string schema, IEnumerable<string> lines) =>
        await (await CSharp2Program.GetAsync(CSharp2Program.NetFramework, schema, Path.Combine(CSharp2Program.Folder, "test", "Vectors.cs"))).RunAsync(onMono: true, lines);
}
