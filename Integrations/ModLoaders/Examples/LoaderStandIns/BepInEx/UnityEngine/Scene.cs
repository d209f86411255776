namespace UnityEngine.SceneManagement;

/// <summary>A scene of the game.</summary>
public readonly struct Scene
{
    internal Scene(string name) => this.name = name;

    public string name { get; }
}
