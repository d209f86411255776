using System.Collections.Generic;
using System.Linq;

namespace Reloaded.Messaging.Benchmarks.Shapes;

/// <summary>Forms of a message.</summary>
public static class FormShapes
{
    private const string Foreign = "public sealed class Foreign { private readonly int _a; private Foreign(int a) => _a = a; public static Foreign Of(int a) => new(a); public int Number() => _a; } {converter:Foreign} ";
    private const string Page = "{M} public partial class Page<T> { public List<T> Items { get; set; } = new(); public int Total { get; set; } } ";
    private const string Figures = "{U:0 Circle;1 Square} public partial interface IFigure { } {M} public partial class Circle : IFigure { public double R { get; set; } } {M} public partial class Square : IFigure { public double A { get; set; } } ";
    private const string Node = "{M} public partial class M { public int Id { get; set; } public M? Next { get; set; } } public static class Chain { public static M Of(int count) { M? made = null; for (var i = 0; i < count; i++) made = new M { Id = i, Next = made }; return made!; } }";

    public static IReadOnlyList<Shape> All { get; } =
    [
        // Classes, structs and records.
        new("class with set", "{M} public partial class M { public int A { get; set; } public string B { get; set; } = \"\"; }", "new M { A = 1, B = \"a\" }"),
        new("class with init", "{M} public partial class M { public int A { get; init; } public string B { get; init; } = \"\"; }", "new M { A = 1, B = \"a\" }"),
        new("class with required members", "{M} public partial class M { public required int A { get; set; } public required string B { get; init; } }", "new M { A = 1, B = \"a\" }"),
        new("class with public fields", "{M} public partial class M { public int A; public string B = \"\"; }", "new M { A = 1, B = \"a\" }"),
        new("class with a constructor of its members", "{M} public partial class M { public M(int a, string b) { A = a; B = b; } public int A { get; } public string B { get; } }", "new M(1, \"a\")"),
        new("class with a primary constructor", "{M} public partial class M(int a, string b) { public int A { get; } = a; public string B { get; } = b; }", "new M(1, \"a\")"),
        new("class with readonly fields and a constructor", "{M} public partial class M { public M(int a) { A = a; } public readonly int A; }", "new M(1)"),
        new("class with a constructor and settable members", "{M} public partial class M { public M(int a) { A = a; } public int A { get; } public string B { get; set; } = \"\"; }", "new M(1) { B = \"a\" }"),
        new("class with a constructor with optional parameters", "{M} public partial class M { public M(int a, int c = 5) { A = a; } public int A { get; } }", "new M(1)"),
        new("class with an internal constructor", "{M} public partial class M { internal M(int a) { A = a; } public int A { get; } }", "new M(1)"),
        new("class with a protected constructor", "{M} public partial class M { {C} protected M() { } public static M Make(int a) => new() { A = a }; public int A { get; set; } }", "M.Make(1)"),
        new("class with a private constructor", "{M} public partial class M { {C} private M() { } public static M Make(int a) => new() { A = a }; public int A { get; set; } }", "M.Make(1)"),
        new("class with two constructors", "{M} public partial class M { public M() { } public M(int a) { A = a; } public int A { get; set; } public int B { get; set; } }", "new M(1) { B = 2 }"),
        new("class with a chosen constructor", "{M} public partial class M { public M(int a) { A = a; } {C} public M(int a, int b) { A = a; B = b; } public int A { get; } public int B { get; } }", "new M(1, 2)"),
        new("sealed record", "{M} public sealed partial record M(int A, string? B);", "new M(1, null)"),
        new("record with members of its own", "{M} public partial record M(int A) { public string B { get; set; } = \"\"; }", "new M(1) { B = \"a\" }"),
        new("record with default values", "{M} public partial record M(int A, string B = \"x\", Kind C = Kind.B); public enum Kind { A, B }", "new M(1)"),
        new("record derived from a record", "public abstract partial record Base(int A); {M} public partial record M(int A, int B) : Base(A);", "new M(1, 2)"),
        new("record struct", "{M} public partial record struct M(int A, string B);", "new M(1, \"a\")"),
        new("readonly record struct", "{M} public readonly partial record struct M(int A, string B);", "new M(1, \"a\")"),
        new("readonly struct with a constructor", "{M} public readonly partial struct M { public M(int a, string b) { A = a; B = b; } public int A { get; } public string B { get; } }", "new M(1, \"a\")"),
        new("struct with public fields", "{M} public partial struct M { public int A; public string B; }", "new M { A = 1, B = \"a\" }"),
        new("struct of numbers", "{M} public partial struct M { public int A; public float B; }", "new M { A = 1, B = 2 }"),
        new("struct with a bool and padding", "{M} public partial struct M { public bool A; public long B; }", "new M { A = true, B = 2 }"),
        new("struct with a constructor without parameters", "{M} public partial struct M { public M() { A = 5; } public int A { get; set; } public string? B { get; set; } }", "new M { A = 1 }"),
        new("class without members", "{M} public partial class M { }", "new M()"),
        new("struct without members", "{M} public partial struct M { }", "default"),
        new("class with 60 members", $"{{M}} public partial class M {{ {string.Concat(Enumerable.Range(0, 60).Select(static i => $"public int A{i} {{ get; set; }} "))} }}", "new M { A5 = 1, A59 = 2 }"),
        new("class with 300 members", $"{{M}} public partial class M {{ {string.Concat(Enumerable.Range(0, 300).Select(static i => $"public string? A{i} {{ get; set; }} "))} }}", "new M { A5 = \"a\", A299 = \"b\" }"),
        new("record with 40 parameters", $"{{M}} public partial record M({string.Join(", ", Enumerable.Range(0, 40).Select(static i => $"int A{i}"))});", $"new M({string.Join(", ", Enumerable.Range(0, 40))})"),
        new("type in two parts, members in one", "{M} public partial class M { public int A { get; set; } } public partial class M { public int Twice() => A * 2; }", "new M { A = 1 }"),
        new("type in a namespace", "namespace Deep.Inside { {M} public partial class M { public int A { get; set; } } }", "new Deep.Inside.M { A = 1 }", "Deep.Inside.M"),
        new("type inside a class", "public partial class Outer { {M} public partial class M { public int A { get; set; } } }", "new Outer.M { A = 1 }", "Outer.M"),
        new("type inside a struct", "public partial struct Outer { {M} public partial record M(int A); }", "new Outer.M(1)", "Outer.M"),
        new("obsolete type", "{M} [Obsolete] public partial class M { public int A { get; set; } }", "new M { A = 1 }"),
        new("members with names of keywords", "{M} public partial class M { public int @class { get; set; } public int @event { get; set; } public int value { get; set; } }", "new M { @class = 1, @event = 2, value = 3 }"),
        new("members with names beyond ASCII", "{M} public partial class M { public int Größe { get; set; } public int 長さ { get; set; } }", "new M { Größe = 1, 長さ = 2 }"),
        new("members that differ in case", "{M} public partial class M { public int Name { get; set; } public int name { get; set; } }", "new M { Name = 1, name = 2 }"),
        new("type without nullable annotations", "\n#nullable disable\n{M} public partial class M { public string A { get; set; } public List<string> B { get; set; } }\n#nullable restore\n", "new M { A = null, B = new() { null! } }"),
        new("class of names of the library", "{M} public partial class M { public Reader Reader { get; set; } = new(); } {M} public partial class Reader { public int Buffer { get; set; } }", "new M { Reader = new() { Buffer = 1 } }"),

        // Members.
        new("computed member", "{M} public partial class M { public int A { get; set; } public int B => A * 2; }", "new M { A = 1 }"),
        new("ignored member", "{M} public partial class M { public int A { get; set; } {I} public object? B { get; set; } }", "new M { A = 1 }"),
        new("static and constant members", "{M} public partial class M { public const int C = 1; public static int S { get; set; } public int A { get; set; } }", "new M { A = 1 }"),
        new("indexer", "{M} public partial class M { public int A { get; set; } public int this[int i] => i; }", "new M { A = 1 }"),
        new("event", "{M} public partial class M { public int A { get; set; } public event Action? Changed; public void Raise() => Changed?.Invoke(); }", "new M { A = 1 }"),
        new("initializers", "{M} public partial class M { public int A { get; set; } = 5; public List<int> B { get; set; } = new() { 1 }; }", "new M { A = 1 }"),
        new("members in the order of a constructor with other names", "{M} public partial class M { public M(string b, int a) { A = a; B = b; } public int A { get; } public string B { get; } }", "new M(\"a\", 1)"),
        new("internal member", "{M} public partial class M { public int A { get; set; } {P} internal int B { get; set; } }", "new M { A = 1, B = 2 }"),
        new("private field", "{M} public partial class M { public int A { get; set; } {P} private int _b; public static M Make() => new() { A = 1, _b = 2 }; public int Sum() => A + _b; }", "M.Make()"),
        new("members of a type that are all private", "{M} public partial class M { {P} private int _a; {P} private string? B { get; set; } public static M Make(int a) => new() { _a = a, B = \"b\" }; public int A() => _a; }", "M.Make(1)"),
        new("method after reading", "{M} public partial class M {receiver} { {I} public int A { get; set; } public int B { get; set; } {before} public void OnBeforeSerialize() { } {after} public void OnAfterDeserialize() => A = B; }", "new M { A = 7, B = 7 }"),
        new("private setter", "{M} public partial class M { {P} public int A { get; private set; } public static M Make(int a) => new() { A = a }; }", "M.Make(1)"),
        new("read-only list with an initializer", "{M} public partial class M { public List<int> A { get; } = new(); public int B { get; set; } }", "new M { A = { 1 }, B = 2 }"),
        new("overridden member", "public abstract class Base { public abstract int A { get; set; } } {M} public partial class M : Base { public override int A { get; set; } }", "new M { A = 1 }"),
        new("hidden member", "public class Base { public int A { get; set; } } {M} public partial class M : Base { public new string A { get; set; } = \"\"; }", "new M { A = \"a\" }"),
        new("members of a base class", "public abstract class Base { public int A { get; set; } } {M} public partial class M : Base { public int B { get; set; } }", "new M { A = 1, B = 2 }"),
        new("members of an interface", "public interface IBase { int A { get; set; } } {M} public partial class M : IBase { public int A { get; set; } }", "new M { A = 1 }"),
        new("explicit implementation of an interface", "public interface IBase { int A { get; } } {M} public partial class M : IBase { public int B { get; set; } int IBase.A => B; }", "new M { B = 1 }"),
        new("partial property", "{M} public partial class M { public partial int A { get; set; } } public partial class M { public partial int A { get => field; set => field = value; } }", "new M { A = 1 }"),
        new("property with the keyword field", "{M} public partial class M { public int A { get; set => field = Math.Max(value, 0); } }", "new M { A = 1 }"),
        new("setter that checks the value", "{M} public partial class M { private int _a; public int A { get => _a; set => _a = value < 0 ? throw new ArgumentOutOfRangeException(nameof(value)) : value; } }", "new M { A = 1 }"),
        new("nullable reference in a collection", "{M} public partial class M { public Dictionary<string, List<string?>?> A { get; set; } = new(); }", "new M { A = { [\"a\"] = new() { null }, [\"b\"] = null } }"),
        new("collections inside each other, six deep", "{M} public partial class M { public List<List<List<List<List<List<int>>>>>> A { get; set; } = new(); }", "new M { A = { new() { new() { new() { new() { new() { 1 } } } } } } }"),
        new("collections inside each other, ten deep", "{M} public partial class M { public List<List<List<List<List<List<List<List<List<List<int>>>>>>>>>> A { get; set; } = new(); }", "new M { A = { new() { new() } } }"),
        new("enum with members of one value", "public enum Kind { A = 1, B = 1, C = -5 } {M} public partial record M(Kind A);", "new M(Kind.C)"),
        new("enum without such a member", "public enum Kind : short { A } {M} public partial record M(Kind A);", "new M((Kind)300)"),
        new("flags", "[Flags] public enum Kind : ulong { A = 1, B = 2 } {M} public partial record M(Kind A);", "new M(Kind.A | Kind.B)"),
        new("plain struct inside a plain struct", "{S} public struct In { public int A; } {S} public struct Out { public In X; public int B; } {M} public partial record M(Out A);", "new M(new Out { B = 1 })"),
        new("struct that is a message, in an array", "{M} public partial struct In { public string A; } {M} public partial record M(In[] A);", "new M(new[] { new In { A = \"a\" } })"),
        new("struct that is a message, nullable", "{M} public partial struct In { public string A; } {M} public partial record M(In? A);", "new M(new In { A = \"a\" })"),
        new("100,000 items", "{M} public partial record M(int[] A, List<string> B);", "new M(new int[100000], Enumerable.Repeat(\"a\", 100000).ToList())"),
        new("long text", "{M} public partial record M(string A);", "new M(new string('ß', 100000))"),

        // Types of somebody else.
        new("converter of a member", Foreign + "{M} public partial class M { {convert:Foreign} public Foreign A { get; set; } = Foreign.Of(0); }", "new M { A = Foreign.Of(5) }"),
        new("converter of a member that is null", Foreign + "{M} public partial class M { {convert:Foreign} public Foreign? A { get; set; } }", "new M()"),
        new("converter of two members", Foreign + "{M} public partial class M { {convert:Foreign} public Foreign A { get; set; } = Foreign.Of(0); {convert:Foreign} public Foreign B { get; set; } = Foreign.Of(0); }", "new M { A = Foreign.Of(5) }"),
        new("converter of items", Foreign + "{M} public partial class M { {convert:Foreign} public List<Foreign> A { get; set; } = new(); }", "new M { A = { Foreign.Of(5) } }"),
        new("converter of the assembly", Foreign + "{global:Foreign} {M} public partial class M { public Dictionary<string, Foreign> A { get; set; } = new(); public Foreign[] B { get; set; } = Array.Empty<Foreign>(); }", "new M { A = { [\"a\"] = Foreign.Of(5) } }"),
        new("converter of a property of a record", Foreign + "{M} public partial record M({parameter:Foreign} Foreign A);", "new M(Foreign.Of(5))"),
        new("class of somebody else without a converter", "public sealed class Other { public int A { get; set; } } {M} public partial record M(Other A);", "new M(new Other { A = 1 })"),

        // Messages inside.
        new("message inside a message", "{M} public partial record In(int A); {M} public partial record M(In A, In? B);", "new M(new In(1), null)"),
        new("tree", "{M} public partial class M { public int Id { get; set; } public List<M> Items { get; set; } = new(); }", "new M { Id = 1, Items = { new M { Id = 2, Items = { new M { Id = 3 } } } } }"),
        new("chain of 10", Node, "Chain.Of(10)"),
        new("chain of 60", Node, "Chain.Of(60)"),
        new("chain of 500", Node, "Chain.Of(500)"),
        new("one object in two members", "{M} public partial record In(int A); {M} public partial record M(In A, In B); public static class Making { public static M Made() { var one = new In(1); return new(one, one); } }", "Making.Made()"),
        new("types that contain each other", "{M} public partial class A { public M? B { get; set; } } {M} public partial class M { public A? C { get; set; } }", "new M { C = new A { B = new M() } }"),

        // Generic types.
        new("generic class as a message, of int", "{closed:Page<int>} " + Page, "new Page<int> { Items = { 1 }, Total = 2 }", "Page<int>"),
        new("generic class as a message, of a message", "{closed:Page<In>} {M} public partial record In(int A); " + Page, "new Page<In> { Items = { new In(1) } }", "Page<In>"),
        new("generic class as a member", Page + "{M} public partial class M { public Page<int> A { get; set; } = new(); public Page<string>? B { get; set; } }", "new M { A = new() { Items = { 1 } }, B = new() { Items = { \"a\" } } }"),
        new("generic record as a member", "{M} public partial record Result<T>(T? Value, string? Error); {M} public partial record M(Result<int> A, Result<string> B);", "new M(new(1, null), new(null, \"a\"))"),
        new("generic struct as a member", "{M} public partial struct Result<T> { public T Value; } {M} public partial record M(Result<int> A, Result<string>[] B);", "new M(new() { Value = 1 }, new[] { new Result<string> { Value = \"a\" } })"),
        new("generic class of two parameters as a member", "{M} public partial class Both<A, B> { public A? First { get; set; } public B? Second { get; set; } } {M} public partial class M { public Both<int, string> A { get; set; } = new(); }", "new M { A = new() { First = 1, Second = \"a\" } }"),
        new("generic class of a generic class as a member", Page + "{M} public partial class M { public Page<Page<int>> A { get; set; } = new(); }", "new M { A = new() { Items = { new() { Items = { 1 } } } } }"),
        new("generic class with a constraint as a member", "{M} public partial class Box<T> where T : struct { public T Value { get; set; } } {M} public partial class M { public Box<int> A { get; set; } = new(); }", "new M { A = new() { Value = 1 } }"),
        new("class derived from a generic class", "public abstract class Base<T> { public T? Value { get; set; } } {M} public partial class M : Base<List<int>> { public int B { get; set; } }", "new M { Value = new() { 1 }, B = 2 }"),
        new("class derived from a generic class of itself", "public abstract class Base<T> where T : Base<T> { public T? Next { get; set; } } {M} public partial class M : Base<M> { public int B { get; set; } }", "new M { Next = new M { B = 1 } }"),
        new("type inside a generic class", "public partial class Outer<T> { {M} public partial class In { public T? A { get; set; } } } {M} public partial class M { public Outer<int>.In A { get; set; } = new(); }", "new M { A = new() { A = 1 } }"),

        // Unions.
        new("union of an interface", Figures + "{M} public partial class M { public IFigure? A { get; set; } }", "new M { A = new Square { A = 1 } }"),
        new("union as a message", Figures, "new Square { A = 1 }", "IFigure"),
        new("union in a list", Figures + "{M} public partial class M { public List<IFigure> A { get; set; } = new(); }", "new M { A = { new Square { A = 1 }, new Circle { R = 2 } } }"),
        new("union in a dictionary", Figures + "{M} public partial class M { public Dictionary<string, IFigure?> A { get; set; } = new(); }", "new M { A = { [\"a\"] = new Square { A = 1 }, [\"b\"] = null } }"),
        new("union of an abstract class", "{U:0 A;1 B} public abstract partial class Base { public int Id { get; set; } } {M} public partial class A : Base { public int X { get; set; } } {M} public partial class B : Base { } {M} public partial class M { public Base? V { get; set; } }", "new M { V = new A { Id = 1, X = 2 } }"),
        new("union of records", "{U:0 A;1 B} public abstract partial record Base; {M} public partial record A(int X) : Base; {M} public partial record B(string Y) : Base; {M} public partial record M(Base V);", "new M(new B(\"a\"))"),
        new("union of structs", "{U:0 A;1 B} public partial interface IBase { } {M} public partial struct A : IBase { public int X; } {M} public partial struct B : IBase { public string Y; } {M} public partial class M { public IBase? V { get; set; } }", "new M { V = new B { Y = \"a\" } }"),
        new("union inside a union", "{U:0 A;1 B} public partial interface IOut { } {M} public partial class A : IOut { public IOut? Next { get; set; } } {M} public partial class B : IOut { } {M} public partial class M { public IOut? V { get; set; } }", "new M { V = new A { Next = new A { Next = new B() } } }"),
        new("union with a tag of 1,000", "{U:0 A;1000 B} public partial interface IBase { } {M} public partial class A : IBase { } {M} public partial class B : IBase { public int X { get; set; } } {M} public partial class M { public IBase? V { get; set; } }", "new M { V = new B { X = 1 } }"),
        new("union of types with a generic base", "{U:0 A} public partial interface IBase { } public abstract class Base<T> : IBase { public T? X { get; set; } } {M} public partial class A : Base<int> { } {M} public partial class M { public IBase? V { get; set; } }", "new M { V = new A { X = 1 } }"),
        new("interface without a list of its types", "public interface IBase { } {M} public partial class A : IBase { } {M} public partial class M { public IBase? V { get; set; } }", "new M { V = new A() }"),
        new("abstract class without a list of its types", "public abstract class Base { } {M} public partial class A : Base { } {M} public partial class M { public Base? V { get; set; } }", "new M { V = new A() }"),
        new("object of a derived class in a member of its base", "{M} public partial class Base { public int A { get; set; } } {M} public partial class Derived : Base { public int B { get; set; } } {M} public partial class M { public Base? V { get; set; } }", "new M { V = new Base { A = 1 } }"),

        // Versions.
        new("numbered fields", "{V} public partial class M { {K:1} public int A { get; set; } {K:2} public string B { get; set; } = \"\"; }", "new M { A = 1, B = \"a\" }"),
        new("numbered fields from 0", "{V} public partial class M { {K:0} public int A { get; set; } {K:1} public string B { get; set; } = \"\"; }", "new M { A = 1, B = \"a\" }"),
        new("numbered fields with gaps", "{V} public partial class M { {K:1} public int A { get; set; } {K:5} public string? B { get; set; } {K:9} public List<int> C { get; set; } = new(); }", "new M { A = 1, C = { 1 } }"),
        new("numbered fields in another order", "{V} public partial class M { {K:2} public int A { get; set; } {K:1} public string B { get; set; } = \"\"; }", "new M { A = 1, B = \"a\" }"),
        new("numbered fields of a record", "{V} public partial record M([property: {bare:1}] int A, [property: {bare:2}] string? B);", "new M(1, \"a\")"),
        new("numbered fields of a struct", "{V} public partial struct M { {K:1} public int A { get; set; } {K:2} public string? B { get; set; } }", "new M { A = 1 }"),
        new("numbered fields of a class inside", "{V} public partial class In { {K:1} public int A { get; set; } } {M} public partial class M { public In A { get; set; } = new(); public int B { get; set; } }", "new M { A = new() { A = 1 }, B = 2 }"),

        // Classes with contents of their own.
        new("class that is a list", "{M} public partial class M : List<int> { }", "new M { 1 }"),
        new("class that is a dictionary", "{M} public partial class M : Dictionary<string, int> { }", "new M { [\"a\"] = 1 }"),
        new("member whose type is derived from a list", "public class Items : List<int> { } {M} public partial class M { public Items A { get; set; } = new(); }", "new M { A = new() { 1 } }"),
        new("class that enumerates", "{M} public partial class M : IEnumerable<int> { public int A { get; set; } public IEnumerator<int> GetEnumerator() { yield return A; } IEnumerator IEnumerable.GetEnumerator() => GetEnumerator(); }", "new M { A = 1 }"),
        new("class that is an exception", "{M} public partial class M : Exception { public int A { get; set; } }", "new M { A = 1 }"),
        new("class derived from EventArgs", "{M} public partial class M : EventArgs { public int A { get; set; } }", "new M { A = 1 }"),
        new("class that compares itself", "{M} public partial class M : IEquatable<M>, IComparable<M> { public int A { get; set; } public bool Equals(M? other) => other?.A == A; public override bool Equals(object? other) => Equals(other as M); public override int GetHashCode() => A; public int CompareTo(M? other) => A - (other?.A ?? 0); }", "new M { A = 1 }"),
        new("class that is disposable", "{M} public partial class M : IDisposable { public int A { get; set; } public void Dispose() { } }", "new M { A = 1 }"),
        new("class with a finalizer", "{M} public partial class M { public int A { get; set; } ~M() { } }", "new M { A = 1 }"),
        new("class with operators", "{M} public partial class M { public int A { get; set; } public static M operator +(M a, M b) => new() { A = a.A + b.A }; public static implicit operator M(int a) => new() { A = a }; }", "(M)1"),
        new("interface with default members", "public interface IBase { int A { get; } int B => A * 2; } {M} public partial class M : IBase { public int A { get; set; } }", "new M { A = 1 }"),
        new("interface with static abstract members", "public interface IBase<T> { static abstract T Make(); } {M} public partial class M : IBase<M> { public int A { get; set; } public static M Make() => new(); }", "new M { A = 1 }"),
        new("key that is a message", "{M} public partial record Key(int A); {M} public partial class M { public Dictionary<Key, int> A { get; set; } = new(); }", "new M { A = { [new Key(1)] = 2 } }"),
        new("key that is a plain struct", "{S} public record struct Key(int A, int B); {M} public partial class M { public Dictionary<Key, int> A { get; set; } = new(); public HashSet<Key> B { get; set; } = new(); }", "new M { A = { [new Key(1, 2)] = 2 } }"),
        new("dictionary with a comparer", "{M} public partial class M { public Dictionary<string, int> A { get; set; } = new(StringComparer.OrdinalIgnoreCase); }", "new M { A = { [\"a\"] = 2 } }"),
    ];
}
