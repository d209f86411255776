using System;
using UnityEngine;
using UnityEngine.SceneManagement;

namespace GameInspector;

/// <summary>Receives the calls of the engine in each frame. The plugin itself is no component of the engine.</summary>
public sealed class InspectorComponent(IntPtr address) : MonoBehaviour(address)
{
    internal InspectorServer? _server;
    private Scene _scene;

    internal void OnDestroy()
    {
        _server?.Stop();
        _server = null;
    }

    private void Update()
    {
        _server?.Pump();
        var scene = SceneManager.GetActiveScene();
        if (scene == _scene)
            return;
        _scene = scene;
        _server?.Announce(scene.name);
    }
}
