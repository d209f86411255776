using System.Globalization;
using System.IO;
using System.Linq;

namespace Reloaded.Messaging.Benchmarks.Shapes;

/// <summary>Compiles shapes of types, each alone, with this library, MemoryPack and MessagePack, sends a value of each, and writes docs/benchmarks/shapes.md. With <c>check</c>, compares the file with what this library does; with <c>check all</c>, also with what the others do. With <c>compile</c>, measures the time that the generator takes. With another argument, prints the shapes whose name contains it. Runs in the folder of the repository.</summary>
public static class Program
{
    private const int Goal = 250;

    private static int Main(string[] args)
    {
        if (args.FirstOrDefault() == CompileTime.Verb)
            return CompileTime.Run(args.Length > 1 ? int.Parse(args[1], CultureInfo.InvariantCulture) : 2000);
        var shapes = MemberShapes.All.Concat(FormShapes.All).ToList();
        if (shapes.GroupBy(static shape => shape.Name).FirstOrDefault(static group => group.Count() > 1) is { } twice)
            throw new InvalidOperationException($"There are two shapes '{twice.Key}'. Give each shape its own name.");
        var isCheck = args is ["check"] or ["check", "all"];
        if (args.Length > 0 && !isCheck)
        {
            foreach (var shape in shapes.Where(shape => shape.Name.Contains(args[0], StringComparison.Ordinal)))
                Console.WriteLine($"{shape.Name}\n{string.Concat(Codec.All.Select(codec => $"    {codec.Name}: {codec.Try(shape)}\n"))}");
            return 0;
        }

        var page = Path.Combine("docs", "benchmarks", "shapes.md");
        var known = isCheck && args.Length == 1 ? ShapeTable.ReadOthers(File.ReadAllLines(page)) : []; // the others change with their versions, which are on the page too
        var rows = shapes.ConvertAll(shape => (shape, known.TryGetValue(shape.Name, out var others) ? [Codec.All[0].Try(shape), .. others] : Codec.All.Select(codec => codec.Try(shape)).ToList()));
        var text = ShapeTable.Write(rows);
        var isCurrent = !isCheck || File.ReadAllText(page) == text;
        if (!isCheck)
            File.WriteAllText(page, text);
        else if (!isCurrent)
            Console.WriteLine($"{page} is not what this program writes. Run it without arguments.");
        foreach (var (shape, results) in rows.Where(static row => row.Item2[0].Kind != OutcomeKind.Works))
            Console.WriteLine($"{shape.Name}: {results[0].Kind} {results[0].Text}");
        var working = rows.Count(static row => row.Item2[0].Kind == OutcomeKind.Works);
        var unclear = rows.Count(static row => row.Item2[0].Kind is OutcomeKind.Broken or OutcomeKind.Differs);
        Console.WriteLine($"{working} of {rows.Count} shapes work, and {unclear} have neither a value nor an error that says what to do.");
        return working >= Goal && unclear == 0 && isCurrent ? 0 : 1;
    }
}
