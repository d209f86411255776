using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class GuessableTokenTests
{
    [Theory]
    [InlineData("""Use(new MessageHostOptions { Token = [|Encoding.UTF8.GetBytes("correct horse battery staple")|] });""")]
    [InlineData("""Use(new MessageHostOptions { Token = [|"correct horse battery staple"u8|].ToArray() });""")]
    [InlineData("""Use(options with { Token = SHA256.HashData([|"correct horse battery staple"u8|]) });""")]
    [InlineData("""const string password = "correct horse"; Use(options with { Token = [|Encoding.ASCII.GetBytes(password)|] });""")]
    [InlineData("""Use(options with { Protection = ProtectionOptions.WithSecret([|"correct horse battery staple"u8|].ToArray()) });""")]
    public Task Text_of_the_program_is_reported(string statements) => Expect(statements);

    [Theory]
    [InlineData("Use(new MessageHostOptions { Token = RandomNumberGenerator.GetBytes(32) });")]
    [InlineData("Use(options with { Token = Encoding.UTF8.GetBytes(text) });")]
    [InlineData("""Use(options with { Token = Convert.FromHexString("00112233445566778899AABBCCDDEEFF") });""")]
    [InlineData("Use(options with { Token = default, PublishedName = \"game\" });")]
    [InlineData("Use(options with { Protection = ProtectionOptions.WithSecret(Convert.FromBase64String(text)) });")]
    [InlineData("""Use(new Other { Token = "text"u8.ToArray() });""")]
    public Task Random_bytes_and_texts_that_are_read_are_not_reported(string statements) => Expect(statements);

    private static Task<ImmutableArray<Diagnostic>> Expect(string statements) => AnalyzerRunner.Expect(new GuessableTokenAnalyzer(), "RM2012", $$"""
        using System;
        using System.Security.Cryptography;
        using System.Text;
        using Reloaded.Messaging;
        using Reloaded.Messaging.Hosting;

        internal sealed class Other
        {
            public byte[] Token { get; set; } = [];
        }

        internal static class Program
        {
            private static void Use(object options) { }

            private static void Test(MessageHostOptions options, string text)
            {
                {{statements}}
            }
        }
        """);
}
