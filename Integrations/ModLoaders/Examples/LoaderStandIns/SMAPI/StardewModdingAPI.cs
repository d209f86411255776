using System;
using System.Collections.Generic;
using StardewModdingAPI.Events;

namespace StardewModdingAPI
{
    /// <summary>The base class of mods.</summary>
    public abstract class Mod : IDisposable
    {
        public IMonitor Monitor { get; internal set; } = null!;

        /// <summary>The entry point of the mod.</summary>
        public abstract void Entry(IModHelper helper);

        public void Dispose()
        {
            Dispose(true);
            GC.SuppressFinalize(this);
        }

        /// <summary>Called when the game ends.</summary>
        protected virtual void Dispose(bool disposing)
        {
        }
    }

    public interface IModHelper
    {
        IModEvents Events { get; }

        IModRegistry ModRegistry { get; }
    }

    public interface IModRegistry
    {
        IEnumerable<IModInfo> GetAll();
    }

    public interface IModInfo
    {
        IManifest Manifest { get; }
    }

    /// <summary>The file manifest.json of a mod.</summary>
    public interface IManifest
    {
        string Name { get; }

        ISemanticVersion Version { get; }

        string UniqueID { get; }

        string? EntryDll { get; }
    }

    public interface ISemanticVersion
    {
        string ToString();
    }

    /// <summary>The log of a mod.</summary>
    public interface IMonitor
    {
        void Log(string message, LogLevel level = LogLevel.Trace);
    }

    public enum LogLevel
    {
        Trace,
        Debug,
        Info,
        Warn,
        Error,
        Alert,
    }

    public static class Constants
    {
        /// <summary>The folder of the saved game that is loaded.</summary>
        public static string? SaveFolderName { get; internal set; }
    }
}

namespace StardewModdingAPI.Events
{
    public interface IModEvents
    {
        IGameLoopEvents GameLoop { get; }
    }

    public interface IGameLoopEvents
    {
        /// <summary>Raised in each frame, on the main thread.</summary>
        event EventHandler<UpdateTickedEventArgs> UpdateTicked;

        /// <summary>Raised when a saved game was loaded.</summary>
        event EventHandler<SaveLoadedEventArgs> SaveLoaded;
    }

    public class UpdateTickedEventArgs : EventArgs;

    public class SaveLoadedEventArgs : EventArgs;
}
