using System.Globalization;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class MessageConverterTests
{
    private const string Types = """

        public class Foreign { }
        public struct Plain { public int A; }
        [Message(100)] public class Sent { }
        public static class Good { public static int ToSurrogate(Foreign value) => 0; public static bool TryFromSurrogate(int surrogate, out Foreign value) { value = new(); return true; } }
        public static class Open<T> { public static int ToSurrogate(Foreign value) => 0; public static bool TryFromSurrogate(int surrogate, out Foreign value) { value = new(); return true; } }
        public static class OfPlain { public static Sent ToSurrogate(in Plain value) => new(); public static bool TryFromSurrogate(Sent surrogate, out Plain value) { value = default; return true; } }
        public static class Without { }
        public static class OneWay { public static int ToSurrogate(Foreign value) => 0; }
        public static class OtherWay { public static bool TryFromSurrogate(int surrogate, out Foreign value) { value = new(); return true; } }
        public static class Swapped { public static int ToSurrogate(Foreign value) => 0; public static bool TryFromSurrogate(long surrogate, out Foreign value) { value = new(); return true; } }
        public static class Same { public static int ToSurrogate(int value) => 0; public static bool TryFromSurrogate(int surrogate, out int value) { value = 0; return true; } }
        public static class FromNullable { public static int ToSurrogate(Plain? value) => 0; public static bool TryFromSurrogate(int surrogate, out Plain? value) { value = null; return true; } }
        public static class ToNullable { public static int? ToSurrogate(Foreign value) => 0; public static bool TryFromSurrogate(int? surrogate, out Foreign value) { value = new(); return true; } }
        public static class ToText { public static string? ToSurrogate(Foreign value) => ""; public static bool TryFromSurrogate(string? surrogate, out Foreign value) { value = new(); return true; } }
        public static class ToObject { public static object ToSurrogate(Foreign value) => ""; public static bool TryFromSurrogate(object surrogate, out Foreign value) { value = new(); return true; } }
        public static class Hidden { private static int ToSurrogate(Foreign value) => 0; public static bool TryFromSurrogate(int surrogate, out Foreign value) { value = new(); return true; } }
        public class Instance { public int ToSurrogate(Foreign value) => 0; public bool TryFromSurrogate(int surrogate, out Foreign value) { value = new(); return true; } }
        public static class Twice
        {
            public static int ToSurrogate(in Foreign value) => 0;
            public static long ToSurrogate(Foreign value) => 0;
            public static bool TryFromSurrogate(int surrogate, out Foreign value) { value = new(); return true; }
            public static bool TryFromSurrogate(long surrogate, out Foreign value) { value = new(); return true; }
        }
        [Obsolete("no", true)] public static class Old { public static int ToSurrogate(Foreign value) => 0; public static bool TryFromSurrogate(int surrogate, out Foreign value) { value = new(); return true; } }
        """;

    [Theory]
    [InlineData("int[]", "The converter 'int[]' is not valid: it is not a class or a struct")]
    [InlineData("Open<>", "it is an open generic type; name its type arguments")]
    [InlineData("Without", "The converter 'Without' is not valid: it has no method 'static S ToSurrogate(T value)'")]
    [InlineData("OneWay", "it has no accessible 'static bool TryFromSurrogate(int surrogate, out Foreign value)'")]
    [InlineData("Swapped", "it has no accessible 'static bool TryFromSurrogate(int surrogate, out Foreign value)'")]
    [InlineData("OtherWay", "'TryFromSurrogate' has no accessible 'static S ToSurrogate(T value)' with its types, or is not")]
    [InlineData("Same", "the surrogate of int is int")]
    [InlineData("FromNullable", "it converts Plain?; convert the type without '?', because null is sent without a call")]
    [InlineData("ToNullable", "the surrogate int? is nullable; use a type without '?'")]
    [InlineData("ToText", "the surrogate string is nullable; use a type without '?'")]
    [InlineData("Hidden", "'ToSurrogate' is not an accessible 'static S ToSurrogate(T value)'")]
    [InlineData("Instance", "'ToSurrogate' is not an accessible 'static S ToSurrogate(T value)'")]
    [InlineData("Twice", "it has two methods 'ToSurrogate' for Foreign")]
    public async Task Converter_that_is_not_valid_is_reported_with_its_reason(string type, string reason)
    {
        var found = await Contract.Expect("RM1018", $"[Message] public class M {{ [MessageConverter(typeof({type}))] public Foreign? [|A|] {{ get; set; }} }}" + Types);

        Assert.Contains(found, one => one.GetMessage(CultureInfo.InvariantCulture).Contains(reason, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Converter_of_another_type_is_reported()
    {
        var found = await Contract.Expect("RM1018", "[Message] public class M { [MessageConverter(typeof(OfPlain))] public List<int> [|A|] { get; set; } = []; }" + Types);

        Assert.Contains("The converter 'OfPlain' is not valid: 'A' has the type System.Collections.Generic.List<int>, which does not contain Plain", Assert.Single(found).GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Converter_of_the_assembly_is_reported_at_its_attribute()
    {
        var found = await Contract.Expect("RM1018", "[assembly: MessageConverter(typeof(Good))] [assembly: [|MessageConverter(typeof(Open<int>))|]]" + Types);

        Assert.Contains("'Open<int>' is not valid: another converter converts Foreign as well", Assert.Single(found).GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);
        await Contract.Expect("RM1018", "[Obsolete(\"no\", true), Message] public class M { [MessageConverter(typeof(Old))] public Foreign? [|A|] { get; set; } }" + Types);
    }

    [Fact]
    public Task Converter_of_a_parameter_of_a_service_is_reported() => Contract.Expect(
        "RM1018",
        "[Reloaded.Messaging.Hosting.MessageService] public interface IService { System.Threading.Tasks.Task [|SetAsync|]([MessageConverter(typeof(Without))] int a); }" + Types);

    [Fact]
    public async Task Surrogate_that_cannot_be_sent_is_reported_at_the_member()
    {
        var found = await Contract.Expect("RM1003", "[Message] public class M { [MessageConverter(typeof(ToObject))] public List<Foreign>? [|A|] { get; set; } }" + Types);

        Assert.Contains("its surrogate object cannot be sent: the type has no fixed form on the wire", Assert.Single(found).GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Plain_struct_with_a_converted_field_is_reported()
    {
        const string Struct = "public struct Pair { public Plain A; internal int B; } [Message] public class M { public Pair [|P|] { get; set; } }";
        var found = await Contract.Expect("RM1003", "[assembly: MessageConverter(typeof(OfPlain))]" + Struct + Types);

        Assert.Contains("it has the field 'A' with a converter; mark the struct [Message]", Assert.Single(found).GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);
        await Contract.Accept(Struct.Replace("[|P|]", "P", StringComparison.Ordinal) + Types);
    }

    [Theory]
    [InlineData("public record struct Pair([MessageConverter(typeof(OfPlain))] Plain A, int B);")]
    [InlineData("public record struct Pair([MessageConverter(typeof(OfPlain))] Plain A, bool B);")]
    [InlineData("public record struct Pair([property: MessageConverter(typeof(OfPlain))] Plain A, int B);")]
    [InlineData("public struct Pair { [MessageConverter(typeof(OfPlain))] public Plain A; public bool B; }")]
    public async Task Plain_struct_with_a_converter_on_a_member_is_reported(string pair)
    {
        var found = await Contract.Expect("RM1003", pair + "[Message] public class M { public Pair [|P|] { get; set; } }" + Types);

        Assert.Contains("it has the field 'A' with a converter; mark the struct [Message]", Assert.Single(found).GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Valid_converter_is_not_reported_and_its_code_compiles()
    {
        const string Code = """
            [assembly: MessageConverter(typeof(Good))]
            [assembly: MessageConverter(typeof(OfPlain))]
            [Message] public record M(Foreign A, List<Foreign?>? B, Dictionary<Plain, (Plain?, Foreign)> C, [MessageConverter(typeof(Open<string>))] Foreign? D, [property: MessageConverter(typeof(Open<int>))] Foreign[] E);
            [Message] public struct S { public Plain A; public Plain? B; }
            [Reloaded.Messaging.Hosting.MessageService] public interface IService { System.Threading.Tasks.Task<Plain> SetAsync([MessageConverter(typeof(Open<int>))] Foreign a, Plain b); }
            """ + Types;

        await Contract.Accept(Code);
        GeneratorRunner.Compile("using System; using System.Collections.Generic; using Reloaded.Messaging;" + Code);
    }

}
