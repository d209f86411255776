using System;
using System.Threading.Tasks;
using Xunit;

namespace Reloaded.Messaging.Tests.Exports;

/// <summary>The Python that <c>export</c> writes is strict, and describes the values of the Python client.</summary>
public sealed class PythonExportTests : IDisposable
{
    private readonly ExportFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Python_of_every_kind_of_member_is_strict_and_has_the_defaults()
    {
        await _folder.ExportAsync("python", "own.py", Tool.Schema);
        await _folder.ExportAsync("python", "vectors.py", Tool.Vectors);
        _folder.Write("use.py", """
            from dataclasses import asdict
            from decimal import Decimal
            from uuid import UUID

            import vectors
            from own import Everything, Failed, Large, Loaded, Outcome, Part, Place, Rights, Side, Tail

            value = Everything(Id=UUID(int=1), Version="1.0", Part=Part())
            place: Place = (0.0, 0.0, 0)
            outcome: Outcome = Failed(Id="a")
            name: str | None = value.Tuple[1]
            parts: list[Part | None] = value.ByName.get("a", [None])
            assert value.Side is Side.Enemy and value.OtherSide is Side.Friend and value.Rights == Rights.Read | Rights.Write and value.Large == Large.Most == 2**64 - 1
            assert value.Count is None and value.Place == place and value.Rate != value.Rate and value.Price == Decimal("1.50") and value.Letter == "ß" and value.Text == '"\\\n'
            assert value.Tags == [] and value.Data == b"" and value.Link is None and value.lambda_ == 0 and value.list == [] and value.Part.None_
            assert isinstance(outcome, Failed) and outcome.Reason == "unknown" and outcome.contract == "Reloaded.Messaging.Tests.Exported.Failed"
            assert asdict(vectors.Square(Side=2.0)) == {"Side": 2.0, "Color": "red"}
            assert Tail.__doc__ == "Reads the log of a mod. The reply is a stream of Line."
            print(Loaded(Id="x").Id, name, parts)


            def wrong() -> None:  # mypy reports a comment that is not needed
                Part(None_=1)  # type: ignore[arg-type]
                Part(True)  # type: ignore[misc]
                Everything()  # type: ignore[call-arg]
                Part(Parts=[1])  # type: ignore[list-item]
            """);

        await _folder.RunAsync([Programs.Find("mypy", "Install it with 'apt-get install mypy'.")], "--strict", "--follow-imports=silent", "--cache-dir", "cache", "own.py", "vectors.py", "use.py");
        await _folder.RunAsync([ExportFolder.FindPython()], "use.py");
    }
}
