using BepInEx.Logging;
using UnityEngine;

namespace BepInEx;

/// <summary>The base class of plugins.</summary>
public abstract class BaseUnityPlugin : MonoBehaviour
{
    protected BaseUnityPlugin() => Logger = new ManualLogSource(GetType().Name);

    protected ManualLogSource Logger { get; }
}
