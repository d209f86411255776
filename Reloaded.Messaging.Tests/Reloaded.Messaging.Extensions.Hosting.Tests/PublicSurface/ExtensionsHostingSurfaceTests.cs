using System;
using Reloaded.Messaging.Extensions.Hosting;
using Reloaded.Messaging.Extensions.Hosting.RabbitMQ;
using Xunit;

namespace Reloaded.Messaging.Tests.PublicSurface;

public sealed class ExtensionsHostingSurfaceTests
{
    [Theory]
    [InlineData(typeof(MessageHostBuilder))]
    [InlineData(typeof(RabbitHostBuilder))]
    public void The_assembly_shows_what_was_approved(Type inAssembly) => ApprovedSurface.Assert(inAssembly.Assembly);
}
