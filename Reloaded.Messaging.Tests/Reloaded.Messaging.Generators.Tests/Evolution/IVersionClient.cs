namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>A client in one language, which has one version of a contract and connects to a C# server that has another version.</summary>
internal interface IVersionClient
{
    /// <summary>Skips the test if the program of the client is not installed.</summary>
    void Require();

    /// <summary>Sends the value of a version in a request.</summary>
    /// <returns>What the server shows; or the text of the error.</returns>
    Task<string> SendAsync(ContractVersion own, ContractVersion server);

    /// <summary>Requests the value of the server.</summary>
    /// <returns>What the version of the client shows; or the text of the error.</returns>
    Task<string> AskAsync(ContractVersion own, ContractVersion server);

    /// <summary>Connects with an announcement of the contract.</summary>
    /// <returns>"connected"; or the text of the error, and the difference in the event of the server.</returns>
    Task<(string Here, string There)> AnnounceAsync(ContractVersion own, ContractVersion server);
}
