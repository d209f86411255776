using System.Linq;
using System.Reflection;
using BepInEx.NET.Common;
using HarmonyLib;

namespace ExampleGame
{
    /// <summary>The game, which knows nothing of plugins.</summary>
    public class Game
    {
        /// <summary>The level of the player.</summary>
        public string Level { get; private set; } = "";

        /// <summary>The number of frames.</summary>
        public int Frames { get; private set; }

        private void Update() => Frames++;

        private void LoadLevel(string name) => Level = name;
    }
}

namespace LoaderStandIns
{
    /// <summary>A game of .NET with plugins of BepInEx 6, which are loaded before its entry point. All methods have to be called on one thread.</summary>
    public sealed class NetGame
    {
        private readonly ExampleGame.Game _game = new();

        /// <summary>Loads the plugins, and starts the game.</summary>
        public NetGame(params Assembly[] plugins)
        {
            Harmony.Patches.Clear();
            new NetChainloader().Execute(plugins);
        }

        /// <summary>Runs a frame of the game, with the patches.</summary>
        public void RunFrame() => Call("Update");

        /// <summary>Loads a level, with the patches.</summary>
        public void LoadLevel(string name) => Call("LoadLevel", name);

        private void Call(string name, params object[] arguments)
        {
            var method = AccessTools.Find(_game.GetType(), name);
            method.Invoke(_game, arguments);
            foreach (var (_, postfix) in Harmony.Patches.Where(patch => patch.Original == method).ToList())
                postfix.Invoke(null, [.. postfix.GetParameters().Select(one => arguments[System.Array.FindIndex(method.GetParameters(), given => given.Name == one.Name)])]);
        }
    }
}
