using System;
using UnityEngine.Events;

namespace Il2CppInterop.Runtime.InteropTypes
{
    /// <summary>An object of a game with IL2CPP.</summary>
    public class Il2CppObjectBase;
}

namespace UnityEngine
{
    /// <summary>An object whose methods Awake, Update and OnDestroy the engine calls by their names, on its main thread.</summary>
    public abstract class MonoBehaviour : Il2CppInterop.Runtime.InteropTypes.Il2CppObjectBase
    {
        /// <summary>For games with Mono.</summary>
        protected MonoBehaviour()
        {
        }

        /// <summary>For games with IL2CPP.</summary>
        protected MonoBehaviour(IntPtr pointer) => _ = pointer;
    }
}

namespace UnityEngine.Events
{
    public delegate void UnityAction<T0, T1>(T0 arg0, T1 arg1);
}

namespace UnityEngine.SceneManagement
{
    /// <summary>A scene of the game.</summary>
    public struct Scene
    {
        internal Scene(string name) => this.name = name;

        public string name { get; }

        public static bool operator ==(Scene lhs, Scene rhs) => lhs.name == rhs.name;

        public static bool operator !=(Scene lhs, Scene rhs) => !(lhs == rhs);

        public override readonly bool Equals(object? obj) => obj is Scene scene && scene == this;

        public override readonly int GetHashCode() => name?.GetHashCode(StringComparison.Ordinal) ?? 0;
    }

    public enum LoadSceneMode
    {
        Single,
        Additive,
    }

    /// <summary>The scenes of the game.</summary>
    public static class SceneManager
    {
        private static Scene s_active;

        /// <summary>Raised on the main thread when a scene was loaded.</summary>
        public static event UnityAction<Scene, LoadSceneMode>? sceneLoaded;

        public static Scene GetActiveScene() => s_active;

        internal static void Load(string name)
        {
            s_active = new Scene(name);
            sceneLoaded?.Invoke(s_active, LoadSceneMode.Single);
        }
    }
}
