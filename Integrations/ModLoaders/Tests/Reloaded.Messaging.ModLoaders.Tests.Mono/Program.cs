namespace Reloaded.Messaging.Tests.Mono;

/// <summary>The tests of the sample plugin on Mono.</summary>
public static class Program
{
    public static int Main() => new TestRun(null).Run();
}
