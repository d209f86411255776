using System;
using Xunit;

namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>C# against the Python client.</summary>
public sealed class PythonEvolutionTests : EvolutionMatrixTests, IClassFixture<PythonEvolutionTests.Fixture>
{
    public PythonEvolutionTests(Fixture fixture)
    {
        ArgumentNullException.ThrowIfNull(fixture);
        Client = fixture.Client;
    }

    private protected override IVersionClient Client { get; }

    /// <summary>The process of the client.</summary>
    public sealed class Fixture : IDisposable
    {
        internal ForeignVersionClient Client { get; } = new PythonVersionClient();

        public void Dispose() => Client.Dispose();
    }
}

/// <summary>C# against the Python client.</summary>
public sealed class PythonEvolutionPropertyTests : ClientEvolutionPropertyTests, IClassFixture<PythonEvolutionTests.Fixture>
{
    public PythonEvolutionPropertyTests(PythonEvolutionTests.Fixture fixture)
    {
        ArgumentNullException.ThrowIfNull(fixture);
        Client = fixture.Client;
    }

    private protected override IVersionClient Client { get; }
}
