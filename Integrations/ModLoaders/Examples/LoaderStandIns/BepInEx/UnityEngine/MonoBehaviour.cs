namespace UnityEngine;

/// <summary>An object whose methods Awake, Update and OnDestroy the engine calls by their names, on its main thread.</summary>
public abstract class MonoBehaviour;
