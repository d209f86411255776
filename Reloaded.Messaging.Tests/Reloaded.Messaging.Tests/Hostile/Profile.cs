namespace Reloaded.Messaging.Tests.Hostile;

public sealed class Profile
{
    public string Name { get; set; } = "";

    public int Level { get; set; }

    public double[] Spawn { get; set; } = [];

    public Dictionary<string, int>? Items { get; set; }

    public Profile? Rival { get; set; }
}
