using UnityEngine.Events;

namespace UnityEngine.SceneManagement;

/// <summary>The scenes of the game.</summary>
public static class SceneManager
{
    /// <summary>Raised on the main thread when a scene was loaded.</summary>
    public static event UnityAction<Scene, LoadSceneMode>? sceneLoaded;

    internal static void Load(string name) => sceneLoaded?.Invoke(new Scene(name), LoadSceneMode.Single);
}
