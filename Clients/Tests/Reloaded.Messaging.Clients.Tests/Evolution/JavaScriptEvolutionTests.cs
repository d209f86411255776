using System;
using Xunit;

namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>C# against the JavaScript client.</summary>
public sealed class JavaScriptEvolutionTests : EvolutionMatrixTests, IClassFixture<JavaScriptEvolutionTests.Fixture>
{
    public JavaScriptEvolutionTests(Fixture fixture)
    {
        ArgumentNullException.ThrowIfNull(fixture);
        Client = fixture.Client;
    }

    private protected override IVersionClient Client { get; }

    /// <summary>The process of the client.</summary>
    public sealed class Fixture : IDisposable
    {
        internal ForeignVersionClient Client { get; } = new JavaScriptVersionClient();

        public void Dispose() => Client.Dispose();
    }
}

/// <summary>C# against the JavaScript client.</summary>
public sealed class JavaScriptEvolutionPropertyTests : ClientEvolutionPropertyTests, IClassFixture<JavaScriptEvolutionTests.Fixture>
{
    public JavaScriptEvolutionPropertyTests(JavaScriptEvolutionTests.Fixture fixture)
    {
        ArgumentNullException.ThrowIfNull(fixture);
        Client = fixture.Client;
    }

    private protected override IVersionClient Client { get; }
}
