namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>A client in C#.</summary>
internal sealed class CSharpVersionClient : IVersionClient
{
    public void Require()
    {
    }

    public Task<string> SendAsync(ContractVersion own, ContractVersion server) => own.SendAsync(server);

    public Task<string> AskAsync(ContractVersion own, ContractVersion server) => own.AskAsync(server);

    public Task<(string Here, string There)> AnnounceAsync(ContractVersion own, ContractVersion server) => own.AnnounceAsync(server);
}
