using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class LoginWithoutServerKeyTests
{
    private const string Login = "host.OnAuthenticate<string, string>((name, from, stop) => default)";

    [Theory]
    [InlineData("[|ProtectionOptions.WithToken()|]")]
    [InlineData("[|ProtectionOptions.WithSecret(new byte[32])|]")]
    public Task Login_over_UDP_with_a_token_or_a_secret_alone_is_reported(string protection) =>
        Expect($"var options = new MessageHostOptions {{ Protection = {protection} }}; await MessageHost.ListenAsync(MessageEndpoint.Udp(5000), host => {Login}, options);");

    [Theory]
    [InlineData("Udp", "ProtectionOptions.WithServerKeyFile(\"server.pem\")", Login)]
    [InlineData("Tcp", "ProtectionOptions.WithToken()", Login)]
    [InlineData("Udp", "ProtectionOptions.WithToken()", "host.ToString()")]
    public Task Server_key_other_transport_and_server_without_a_login_are_not_reported(string transport, string protection, string configure) =>
        Expect($"await MessageHost.ListenAsync(MessageEndpoint.{transport}(5000), host => {configure}, new MessageHostOptions {{ Protection = {protection} }});");

    private static Task<ImmutableArray<Diagnostic>> Expect(string statements) => AnalyzerRunner.Expect(new LoginWithoutServerKeyAnalyzer(), "RM2013", $$"""
        using System.Threading.Tasks;
        using Reloaded.Messaging;
        using Reloaded.Messaging.Hosting;

        internal static class Program
        {
            private static async Task Test()
            {
                {{statements}}
            }
        }
        """);
}
