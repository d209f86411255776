using System.Linq;
using System.Text;
using FsCheck;
using FsCheck.Fluent;

namespace Reloaded.Messaging.Tests.Properties;

/// <summary>Random messages: some of them nothing, some noise, and some so repetitive that compressing them pays.</summary>
internal static class Messages
{
    private static readonly string[] s_characters = ["a", "b", " ", "\0", "\"", "\\", "\u00e9", "\u4f60", "\uFFFD", "\U0001F600"];

    public static Gen<byte[]> Bytes { get; } =
        from pattern in ArbMap.Default.GeneratorFor<byte[]>()
        from times in Gen.Frequency((3, Gen.Constant(1)), (1, Gen.Choose(2, 200)))
        select Enumerable.Repeat(pattern, times).SelectMany(static part => part).ToArray();

    public static Gen<string> Texts { get; } =
        from characters in Gen.Elements(s_characters).ArrayOf()
        from times in Gen.Frequency((3, Gen.Constant(1)), (1, Gen.Choose(2, 100)))
        select new StringBuilder().Insert(0, string.Concat(characters), times).ToString();

    public static Gen<Lanes> Lanes { get; } =
        from a in ArbMap.Default.GeneratorFor<long>()
        from b in Gen.Elements(0L, 1L, long.MinValue)
        from same in ArbMap.Default.GeneratorFor<bool>()
        from noise in ArbMap.Default.GeneratorFor<long>()
        select same ? new Lanes(b, b, b, b, a, b, b, b) : new Lanes(a, b, noise, ~a, a * 31, b - noise, a ^ noise, noise * 7919);

    public static Gen<Note> Notes { get; } =
        from text in Gen.OneOf(Gen.Constant<string?>(null), Texts.Select(static text => (string?)text))
        from number in ArbMap.Default.GeneratorFor<int>()
        from flag in ArbMap.Default.GeneratorFor<bool>()
        from words in Texts.ListOf()
        select new Note { Text = text, Number = number, Flag = flag, Words = [.. words] };

    public static Gen<ReadOnlyMemory<byte>> Raw { get; } = Bytes.Select(static bytes => new ReadOnlyMemory<byte>(bytes));
}
