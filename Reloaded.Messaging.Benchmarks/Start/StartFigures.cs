using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Runtime.InteropServices;
using Reloaded.Messaging.Benchmarks.Figures;

namespace Reloaded.Messaging.Benchmarks.Start;

/// <summary>Group <c>start</c>: the first request of new processes, and the first call of <c>Pump</c>. The processes are those of <c>Reloaded.Messaging.Benchmarks.Start</c>.</summary>
internal sealed class StartFigures(Action<Figure> print) : FigureGroup(print)
{
    private const int Rounds = 20;
    private const string Compiled = "The client compiles about 180 methods more than the bare one: those with the two messages of the program, six methods of the runtime for each of ten asynchronous methods, and generic methods of the framework for types of the library. The packages could contain the last ones, but then the runtime finds no service of a second copy of the library in one process.";
    private const string Program = "Reloaded.Messaging.Benchmarks.Start.dll";

    private static readonly string[] s_packages = ["Reloaded.Messaging", "Reloaded.Messaging.Transports", "Reloaded.Messaging.Hosting"];

    public override IReadOnlyDictionary<string, string> Reasons { get; } = new Dictionary<string, string>
    {
        ["start.packages.ratio"] = Compiled,
        ["start.packages.methods"] = Compiled,
        ["start.pump.warm.ms"] = "The call compiles 20 methods of the library for the reply of the program. `WarmUpAsync` cannot know this type.",
    };

    public override string Method => $"Each client is a new process that sends one request over a Unix socket. Times are from the start of the process to its end. `library` uses the build of the library with IL alone, `packages` the assemblies with native code from the packages. The bare client is a socket with System.Text.Json (source-generated metadata). `pump` is the first call of `Pump` in a process, with a message, from the packages; `pump.warm` is the same call after `MessageHost.WarmUpAsync`. Values are medians of {Rounds} processes, which take turns.";

    public override void Measure()
    {
        if (OnlyAllocations)
            return;

        var folder = Directory.CreateTempSubdirectory("start-figures").FullName;
        try
        {
            var native = Path.Combine(folder, "packages");
            if (!TryCopyWithNativeCode(native))
            {
                Skipped = "no packages with native code for this system. Run dotnet pack -c Release -p:NativeCode=true Source/Reloaded.Messaging.Hosting";
                return;
            }

            using var server = Run(AppContext.BaseDirectory, "server", folder);
            if (server.StandardOutput.ReadLine() is null)
                throw new InvalidOperationException("The server ended early. Its error is printed above.");
            try
            {
                Compare(folder, native);
            }
            finally
            {
                server.StandardInput.Close();
                server.WaitForExit();
            }
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private void Compare(string folder, string native)
    {
        var (bare, library, packages, rpc) = (new Series(), new Series(), new Series(), new Series());
        var (pump, warmPump) = (new Series(), new Series());
        for (var round = -1; round < Rounds; round++)
        {
            var isCounted = round >= 0; // the first round reads the files of the programs from the disk
            bare.Add(AppContext.BaseDirectory, "bare", folder, isCounted);
            library.Add(AppContext.BaseDirectory, "library", folder, isCounted);
            packages.Add(native, "library", folder, isCounted);
            rpc.Add(AppContext.BaseDirectory, "streamjsonrpc", folder, isCounted);
            pump.Add(native, "pump", folder, isCounted);
            warmPump.Add(native, "warm-pump", folder, isCounted);
        }

        Report("start.packages.ratio", "ratio", [.. packages.Processes.Zip(bare.Processes, static (ours, theirs) => ours / theirs)], reach: 1.15);
        Report("start.packages.ms", "ms", packages.Processes);
        Report("start.packages.methods", "methods", packages.Methods, reach: 250);
        Report("start.library.ms", "ms", library.Processes);
        Report("start.library.methods", "methods", library.Methods);
        Report("start.bare.ms", "ms", bare.Processes);
        Report("start.bare.methods", "methods", bare.Methods);
        Report("start.streamjsonrpc.ms", "ms", rpc.Processes);
        Report("start.streamjsonrpc.methods", "methods", rpc.Methods);
        Report("start.pump.ms", "ms", pump.Reported);
        Report("start.pump.warm.ms", "ms", warmPump.Reported, reach: 2);
    }

    /// <summary>Copies the program to a folder, with the assemblies of the newest packages.</summary>
    /// <returns><c>false</c> if a package is missing or has no native code for this system.</returns>
    private static bool TryCopyWithNativeCode(string folder)
    {
        var root = new DirectoryInfo(AppContext.BaseDirectory);
        while (root is not null && !File.Exists(Path.Combine(root.FullName, "Reloaded.Messaging.sln")))
            root = root.Parent;
        var feed = new DirectoryInfo(Path.Combine(root?.FullName ?? AppContext.BaseDirectory, "artifacts", "packages"));
        if (!feed.Exists)
            return false;

        Directory.CreateDirectory(folder);
        foreach (var file in Directory.EnumerateFiles(AppContext.BaseDirectory))
            File.Copy(file, Path.Combine(folder, Path.GetFileName(file)));
        foreach (var name in s_packages)
        {
            var newest = feed.EnumerateFiles($"{name}.*.nupkg").Where(file => char.IsAsciiDigit(file.Name[name.Length + 1])).MaxBy(static file => file.LastWriteTimeUtc);
            if (newest is null)
                return false;
            using var package = ZipFile.OpenRead(newest.FullName);
            if (package.GetEntry($"runtimes/{RuntimeInformation.RuntimeIdentifier}/lib/net10.0/{name}.dll") is not { } assembly)
                return false;
            assembly.ExtractToFile(Path.Combine(folder, $"{name}.dll"), overwrite: true);
        }

        return true;
    }

    private static Process Run(string folder, string verb, string sockets)
    {
        var start = new ProcessStartInfo("dotnet", [Path.Combine(folder, Program), verb, sockets]) { RedirectStandardInput = true, RedirectStandardOutput = true };
        return System.Diagnostics.Process.Start(start)!;
    }

    /// <summary>The results of the processes of one client.</summary>
    private sealed class Series
    {
        /// <summary>The times of whole processes, in milliseconds.</summary>
        public List<double> Processes { get; } = [];

        /// <summary>The times that the processes reported, in milliseconds.</summary>
        public List<double> Reported { get; } = [];

        /// <summary>The numbers of methods that the processes compiled.</summary>
        public List<double> Methods { get; } = [];

        public void Add(string program, string verb, string sockets, bool isCounted)
        {
            var before = Stopwatch.GetTimestamp();
            using var process = Run(program, verb, sockets);
            var line = process.StandardOutput.ReadLine() ?? throw new InvalidOperationException($"The client '{verb}' ended early. Its error is printed above.");
            process.WaitForExit();
            if (!isCounted)
                return;
            Processes.Add(Stopwatch.GetElapsedTime(before).TotalMilliseconds);
            var parts = line.Split(' ');
            Reported.Add(double.Parse(parts[0], CultureInfo.InvariantCulture));
            Methods.Add(double.Parse(parts[1], CultureInfo.InvariantCulture));
        }
    }
}
