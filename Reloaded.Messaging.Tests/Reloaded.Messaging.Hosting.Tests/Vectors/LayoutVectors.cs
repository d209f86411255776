using System.Text.Json.Nodes;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Vectors;

/// <summary>Makes the vectors of compared layouts. The contract is the first line on both sides.</summary>
internal static class LayoutVectors
{
    private const string List = "5 1 ModList o;Mods [@1]\n";

    private static readonly (string Name, string Ours, string Theirs)[] s_pairs =
    [
        ("equal", List + "7 1 Mod o;Name s;Version i4\n", List + "7 1 Mod o;Name s;Version i4\n"),
        ("other numbers of lines", "5 1 ModList o;Mods [@2]\n\n7 1 Mod o;Name s\n", List + "7 1 Mod o;Name s\n"),
        ("a field at the end of a message inside", List + "7 1 Mod o;Name s\n", List + "7 1 Mod o;Name s;Version i4\n"),
        ("another type in a message inside", List + "7 1 Mod o;Name s;Version s\n", List + "7 1 Mod o;Name s;Version i4\n"),
        ("another name in a message inside", List + "7 1 Mod o;Name s\n", List + "7 1 Mod o;Title s\n"),
        ("another version of a message inside", List + "7 1 Mod o\n", List + "7 2 Mod o\n"),
        ("another id of a message inside", List + "7 1 Mod o\n", List + "8 1 Mod o\n"),
        ("another kind of a message inside", List + "7 1 Mod o\n", List + "7 1 Mod n\n"),
        ("a message in place of a number", "5 1 M o;A @1\n7 1 Mod o\n", "5 1 M o;A i4\n"),
        ("a missing line", List, List + "7 1 Mod o;Name s\n"),
        ("an empty line", List + "\n", List + "7 1 Mod o;Name s\n"),
        ("no line of the contract", "\n", List),
        ("a message in itself", "5 1 Tree o;Trees [@0];Size i4\n", "5 1 Tree o;Trees [@0];Size i8\n"),
        ("nullable", "5 1 M o;A ?i4\n", "5 1 M o;A i4\n"),
        ("a dictionary, another key", "5 1 M o;A {s:[i4]}\n", "5 1 M o;A {i8:[i4]}\n"),
        ("a dictionary, another value", "5 1 M o;A {s:[i4]}\n", "5 1 M o;A {s:[u4]}\n"),
        ("a struct, names of another case", "5 1 M o;A (_x f4,Y f4)\n", "5 1 M o;A (X f4,y f4)\n"),
        ("a struct, fields moved", "5 1 M o;A (X f4,Y f4)\n", "5 1 M o;A (Y f4,X f4)\n"),
        ("a struct, a field added", "5 1 M o;A (X f4)\n", "5 1 M o;A (X f4,Y f4)\n"),
        ("a struct in a struct", "5 1 M o;A (P (X f4,Y f4),Z f4)\n", "5 1 M o;A (P (X f4,Y f8),Z f4)\n"),
        ("a tuple, names on one side", "5 1 M o;A (s:?i4)\n", "5 1 M o;A (Name s:Count ?i4)\n"),
        ("a tuple, names exchanged", "5 1 M o;A (Width i4:Height i4)\n", "5 1 M o;A (Height i4:Width i4)\n"),
        ("an enum, a number in its place", "5 1 M o;A i4<Red=0>\n", "5 1 M o;A i4\n"),
        ("an enum, a member added", "5 1 M o;A i4<Red=0>\n", "5 1 M o;A i4<Red=0,Green=1>\n"),
        ("an enum, numbers exchanged", "5 1 M o;A i4<Red=0,Green=1>\n", "5 1 M o;A i4<Red=1,Green=0>\n"),
        ("an enum, a number used again", "5 1 M o;A i4<Red=0,Green=1>\n", "5 1 M o;A i4<Red=0,Blue=1>\n"),
        ("an enum, two names of a number", "5 1 M o;A i4<Red=0,Green=1>\n", "5 1 M o;A i4<Red=0,Blue=1,Green=1>\n"),
        ("an enum, the members of an earlier line", "5 1 M o;E i4<>;A i4<Red=0>;B i4<X=1,Y=2>;C i4<=1>\n", "5 1 M o;E i4<>;A i4<Red=0>;B i4<X=1,Y=2>;C i4<X=1,Y=3>\n"),
        ("an enum, the members of a missing line", "5 1 M o;A i4<Red=0>\n", "5 1 M o;A i4<=0>\n"),
        ("an enum of another size", "5 1 M o;A i4<Red=0>\n", "5 1 M o;A u1<Red=0>\n"),
        ("version-tolerant, fields added and moved", "5 1 M n;1 A i4;2 B s\n", "5 1 M n;3 C s;1 A i4\n"),
        ("version-tolerant, a number used again", "5 1 M n;1 Health i4\n", "5 1 M n;1 Mana i4\n"),
        ("version-tolerant, a field renamed", "5 1 M n;1 Health i4\n", "5 1 M n;1 HitPoints=Health i4\n"),
        ("version-tolerant, one former name on both sides", "5 1 M n;1 Life=Health i4\n", "5 1 M n;1 HitPoints=Health i4\n"),
        ("version-tolerant, another type", "5 1 M n;1 A i4\n", "5 1 M n;1 A i8\n"),
        ("a union, a type added", "6 1 U u;0 @1\n7 1 A o\n", "6 1 U u;0 @1;1 @2\n7 1 A o\n8 1 B o\n"),
        ("a union, a tag used again", "6 1 U u;0 @1\n7 1 A o\n", "6 1 U u;0 @1\n8 1 B o\n"),
        ("a union, another field in a type", "6 1 U u;3 @1\n7 1 A o;X i4\n", "6 1 U u;3 @1\n7 1 A o;X i8\n"),
        ("a type that is not known", "5 1 M o;A i4\n", "5 1 M o;A !\n"),
        ("a type without an end", "5 1 M o;A [i4]\n", "5 1 M o;A [i4\n"),
        ("no type", "5 1 M o;A i4\n", "5 1 M o;A\n"),
        ("a line that is not a line", "5 1 M o;A i4\n", "5 x M o;A i4\n"),
    ];

    public static VectorFile MakeLayouts()
    {
        var file = new VectorFile("layouts", "Comparisons of layouts. The contract is line 0 of both sides. path, here and there: null if the contracts are compatible; otherwise, the path of the field, and the difference as this side and as the other side sees it.");
        foreach (var (name, ours, theirs) in s_pairs)
        {
            var difference = new LayoutComparison(new ContractLayouts(ours), new ContractLayouts(theirs)).Find(0, 0);
            file.Add(name, new JsonObject
            {
                ["ours"] = ours,
                ["theirs"] = theirs,
                ["path"] = difference?.Path,
                ["here"] = difference?.Describe(isOurView: true),
                ["there"] = difference?.Describe(isOurView: false),
            });
        }

        return file;
    }
}
