using Examples;
using Reloaded.Messaging;

namespace ModLoader.Packing;

/// <summary>Shows the contracts that the compiler generated from the attributes. The peers compare these values.</summary>
public static class ContractTable
{
    public static void Print()
    {
        var table = new Table("contract", "type", "version", "format", "fields", "secret");
        Add(table, MessageContract.GetDeclared<ModConfig>());
        Add(table, MessageContract.GetDeclared<PooledModConfig>());
        table.Print("Contracts, generated from [Message]");
    }

    private static void Add(Table table, MessageContract contract) => table.Add(
        contract.MessageType.Name,
        $"{contract.Type}",
        $"{contract.Version}",
        contract.SerializerName,
        $"{contract.Shape?.Fields.Length}",
        contract.IsSecret ? "yes" : "no");
}
