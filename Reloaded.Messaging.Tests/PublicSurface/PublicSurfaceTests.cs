using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Compression.LZ4;
using Reloaded.Messaging.Packing;
using Reloaded.Messaging.Serialization.Protobuf;
using Xunit;

namespace Reloaded.Messaging.Tests.PublicSurface;

/// <summary>What the assemblies show to others is what was approved, in every build of them.</summary>
public sealed class PublicSurfaceTests
{
    private const string ApproveVariable = "RELOADED_MESSAGING_APPROVE";

    [Fact]
    public void The_core_shows_what_was_approved() => AssertApproved(typeof(MessageWriter).Assembly);

    [Fact]
    public void The_LZ4_assembly_shows_what_was_approved() => AssertApproved(typeof(LZ4Compressor).Assembly);

    [Fact]
    public void The_Protobuf_assembly_shows_what_was_approved() => AssertApproved(typeof(ProtobufSerializer<>).Assembly);

    [Fact]
    public void A_difference_is_told_by_its_lines()
    {
        var difference = Difference("class A\n    int Kept()\n    int Old()\n", "class A\n    int Kept()\n    int New()\n");

        Assert.Equal(["- class A:     int Old()", "+ class A:     int New()"], difference);
    }

    [Fact]
    public void A_member_that_moved_to_another_type_is_a_difference() =>
        Assert.Equal(["- class A:     int M()", "+ class B:     int M()"], Difference("class A\n    int M()\nclass B\n", "class A\nclass B\n    int M()\n"));

    private static void AssertApproved(Assembly assembly)
    {
        var name = assembly.GetName().Name;
        var actual = SurfaceWriter.Write(assembly);
        if (Environment.GetEnvironmentVariable(ApproveVariable) == "1")
        {
            File.WriteAllText(SourceFile(name), actual);
            return;
        }

        var approved = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "PublicSurface", $"{name}.approved.txt")).ReplaceLineEndings("\n");
        if (actual != approved)
        {
            Assert.Fail(
                $"The public surface of {name} is not the approved one (- approved, + now):\n{string.Join('\n', Difference(approved, actual))}\n" +
                $"If the change is meant, run this test with the environment variable {ApproveVariable}=1, which rewrites {name}.approved.txt, and commit that.");
        }
    }

    private static List<string> Difference(string approved, string actual)
    {
        var before = WithTypes(approved);
        var after = WithTypes(actual);
        return [.. before.Except(after).Select(static line => "- " + line), .. after.Except(before).Select(static line => "+ " + line)];
    }

    /// <summary>Each member's line with its type's in front, so that equal members of two types are told apart.</summary>
    private static List<string> WithTypes(string surface)
    {
        var lines = new List<string>();
        var type = "";
        foreach (var line in surface.Split('\n').Where(static line => line.Length > 0))
        {
            var isMember = line.StartsWith(' ');
            if (!isMember)
                type = line;
            lines.Add(isMember ? $"{type}: {line}" : line);
        }

        return lines;
    }

    private static string SourceFile(string? name, [CallerFilePath] string path = "")
    {
        var folder = Path.GetDirectoryName(path)!;
        if (!Directory.Exists(folder))
            throw new DirectoryNotFoundException($"{folder}, where this test was compiled, is not here: approve on a build of your own, without CI=true.");
        return Path.Combine(folder, $"{name}.approved.txt");
    }
}
